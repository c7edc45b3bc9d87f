"""First actions that quote what the log itself shows: the line that failed, the call, the sizes that differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.diagnose.ending.frame import user_frame
from curvedoc.diagnose.ending.shapes import apart
from curvedoc.diagnose.ending.source_line import LONGEST, out_of_place, statements
from curvedoc.report.mask import masked, masker


def died(folder: Path, code: str, error: str, *, steps: int = 40, before: str = "", marks: str = "") -> RunDiagnosis:
    """The run of a log with so many steps, and a traceback whose last frame of the user's own shows this code."""
    rows = "".join(f"step {i} loss {2.3 * 0.97**i:.4f}\n" for i in range(1, steps + 1))
    under = f"    {' ' * code.index(marks)}{'^' * len(marks)}\n" if marks else ""
    (folder / "train.log").write_text(
        f"{rows}{before}Traceback (most recent call last):\n"
        f'  File "/home/u/train.py", line 7, in main\n    step(batch)\n'
        f'  File "/home/u/model.py", line 33, in forward\n    {code}\n{under}'
        f'  File "/usr/lib/python3.11/site-packages/torch/nn/functional.py", line 9, in f\n    return g(x)\n{error}\n',
        encoding="utf-8",
    )
    (run,) = curvedoc.analyze(folder).runs
    return run


def action(run: RunDiagnosis) -> str:
    assert run.next_action is not None
    return run.next_action.text


MODIFIED = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.FloatTensor [16, 1]], which is output 0 of SigmoidBackward0, is at version 1; expected version 0 instead."
)
TWICE = "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors)."
LEAF = "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation."
ROOT = "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output."
LOG = "RuntimeError: Function 'LogBackward0' returned nan values in its 0th output."
STATE = (
    "RuntimeError: Error(s) in loading state_dict for Net:\n"
    '\tMissing key(s) in state_dict: "conv.weight".\n\tUnexpected key(s) in state_dict: "module.conv.weight".'
)


@pytest.mark.parametrize(
    ("code", "marks", "error", "says"),
    [
        ("h.add_(1); z.backward()", "z.backward()", MODIFIED, "At model.py:33 replace h.add_(1) by h = h + 1."),
        ("loss.backward()", "", MODIFIED, "Rerun ten steps under torch.autograd.detect_anomaly()"),
        ("l.backward(); l.backward()", "l.backward()", TWICE, "Delete the second l.backward() at model.py:33"),
        ("for p in ps: p.mul_(0.9)", "", LEAF, "Wrap p.mul_(0.9) at model.py:33 in a block of torch.no_grad()"),
        (
            "net.load_state_dict({'module.' + k: v for k, v in s.items()})",
            "",
            STATE,
            "Stop adding 'module.' to the keys",
        ),
        ("net.load_state_dict(state)", "", STATE, "Strip the prefix 'module.' (left by DataParallel or DDP, as in"),
        (
            "out, (h, c) = self.lstm(x, (h, c))",
            "",
            "RuntimeError: Expected hidden[0] size (2, 256, 32), got [1, 256, 32]",
            "Make the first dimension 2 instead of 1 in what is built before model.py:33",
        ),
    ],
)
def test_the_line_that_failed_is_quoted_with_its_remedy(
    code: str, marks: str, error: str, says: str, tmp_path: Path
) -> None:
    assert says in action(died(tmp_path, code, error, marks=marks))


def test_sizes_that_differ_are_told_where_no_step_fitted_before(tmp_path: Path) -> None:
    error = "RuntimeError: Expected hidden[0] size (2, 256, 32), got [1, 256, 32]"
    told = action(died(tmp_path, "out, _ = self.lstm(x, (h, c))", error, steps=0))
    assert told.startswith("Make the first dimension 2 instead of 1 in what is built before model.py:33: out, _ = ")
    error = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (16x27 and 30x32)"
    told = action(died(tmp_path, "y = self.fc(x)", error, steps=0))
    assert told.startswith("Give the layer called at model.py:33 27 input features instead of 30")


@pytest.mark.parametrize(
    ("steps", "code", "error", "says"),
    [
        (
            0,
            "x = x.view(8, 400)",
            "RuntimeError: shape '[8, 400]' is invalid for input of size 20000",
            "shape [8, 2500]",
        ),
        (
            20,
            "b = torch.stack(xs)",
            "RuntimeError: stack expects each tensor to be equal size, but got [3, 9] at entry 0 and [1, 9] at entry 3",
            "the one in which [3, 9] meets [1, 9] at model.py:33",
        ),
        (
            0,
            "net.load_state_dict(s)",
            "RuntimeError: size mismatch for fc.weight: copying a param with shape torch.Size([1000, 512]) from "
            "checkpoint, the shape in current model is torch.Size([10, 512]).",
            "Drop fc.weight from the state",
        ),
        (40, "acc = right / total", "ZeroDivisionError: division by zero", "Guard model.py:33 against a divisor of 0"),
        (40, "h = img.shape", "AttributeError: 'NoneType' object has no attribute 'shape'", "Find what returned None"),
        (40, "s.step()", "NameError: name 's' is not defined", "Define s before model.py:33"),
        (
            0,
            "y = q(x)",
            "RuntimeError: expected scalar type Half but found Float",
            "from Float to Half where it is made",
        ),
        (9, "save(s)", "OSError: [Errno 28] No space left on device: '/ckpt/9.pt'", "where /ckpt/9.pt is written"),
    ],
)
def test_an_error_that_says_what_is_wrong_is_answered_for_it(
    steps: int, code: str, error: str, says: str, tmp_path: Path
) -> None:
    assert says in action(died(tmp_path, code, error, steps=steps))


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (ROOT, "d = torch.sqrt((x - y).pow(2).sum(1))", "put 1e-8 under the root, torch.sqrt((x - y).pow(2).sum(1))"),
        (LOG, "nll = -p.log().mean()", "clamp the argument of p.log() at 1e-8"),
    ],
)
def test_anomaly_mode_that_is_on_is_not_asked_for(error: str, code: str, says: str, tmp_path: Path) -> None:
    forward = (
        "/usr/lib/python3.11/site-packages/torch/autograd/graph.py:9: UserWarning: Error detected in Backward0. "
        "Traceback of forward call that caused the error:\n"
        '  File "/home/u/train.py", line 7, in main\n    step(batch)\n'
        f'  File "/home/u/losses.py", line 12, in distance\n    {code}\n (Triggered internally at x.cpp:122.)\n'
    )
    told = action(died(tmp_path, "loss.backward()", error, before=forward))
    assert f"At losses.py:12 {says}" in told and told.endswith("Then switch anomaly mode off.")
    alone = action(died(tmp_path, "loss.backward()", error))
    assert "model.py:33" in alone and "detect_anomaly" not in alone


@pytest.mark.parametrize(
    ("target", "given", "says"),
    [
        ("[20]", "[20, 1]", "with output.squeeze(1) or target.unsqueeze(1)"),
        ("[20, 1]", "[20]", "with output.unsqueeze(1) or target.squeeze(1)"),
    ],
)
def test_a_warning_of_two_shapes_is_answered_for_these(target: str, given: str, says: str, tmp_path: Path) -> None:
    rows = "".join(f"step {i} loss {1.2 - 0.005 * i:.4f}\n" for i in range(1, 41))
    warning = f"UserWarning: Using a target size (torch.Size({target})) that is different to the input size"
    (tmp_path / "a.log").write_text(f"{warning} (torch.Size({given})). This will likely lead to errors.\n{rows}")
    (run,) = curvedoc.analyze(tmp_path).runs
    assert says in action(run)


def test_quoted_code_is_masked_as_every_text_is(tmp_path: Path) -> None:
    died(tmp_path, "secret_name.add_(1); z.backward()", MODIFIED, marks="z.backward()")
    d = curvedoc.analyze(tmp_path).diagnosis
    assert "secret_name" in str(d.runs[0].next_action)
    assert "secret_name" not in str(masked(d, masker(["secret_name"])).runs)


def test_keras_is_told_its_own_tool_and_torch_no_other(tmp_path: Path) -> None:
    rows = [{"step": i, "loss": 2.0 - 0.01 * i if i < 60 else float("nan")} for i in range(1, 101)]
    (tmp_path / "run.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert "torch" in action(run) and "tf." not in action(run)
    (tmp_path / "run.log").write_text("I tensorflow/core/util/port.cc:153] oneDNN custom operations are on.\n")
    (run,) = curvedoc.analyze(tmp_path).runs
    assert "tf.debugging" in action(run) and "torch" not in action(run)


def test_code_is_read_without_running_into_brackets_and_quotes() -> None:
    assert list(statements("x = {'a:b': 1}; y += 2")) == ["x = {'a:b': 1}", "y += 2"]
    assert out_of_place("x[1:2] += 3") is None and out_of_place("a.b.relu_()") == "a.b = a.b.relu()"
    assert out_of_place("x.add_(y, alpha=2)") == "x = x.add(y, alpha=2)" and out_of_place("print(x_)") is None
    frame = user_frame('  File "a.py", line 3, in f\n    ' + "z = g(x); " * 20 + "\nE: no")
    assert frame is not None and len(frame.code) > LONGEST and frame.part == ""


def test_shapes_that_say_nothing_are_not_compared() -> None:
    assert apart("Expected (2, 3), got [2, 3]") == {} and apart("Expected (2, None), got (3, 4)") == {}
    assert apart("Expected (2, 3), got (3, 4)") == {"left": "[2, 3]", "right": "[3, 4]"}
    told = apart("expected input[8, 1, 9] to have 3 channels, but got 1 channels instead")
    assert told == {"wanted": "3", "found": "1", "counted": "input channels"}
    assert "fits" not in apart("shape '[7, 400]' is invalid for input of size 20000")
    assert apart("Expected [8, 16, 4], got [8, 16, 5]")["dimension"] == "last"


def test_a_scan_of_the_training_data_counts_no_steps(tmp_path: Path) -> None:
    scan = (
        "train: Scanning /data/labels.cache... 19347 images, 38 backgrounds: 100%|██████████| 19347/19347 [00:00<?]\n"
    )
    bar = "  0%|          | 0/1210 [00:00<?, ?it/s]\n"
    error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB."
    run = died(tmp_path, "y = self.conv(x)", error, steps=0, before=scan + bar)
    assert "19,347" not in run.headline and run.findings[0].symptom == "oom-at-start", run.headline


def test_a_headline_quotes_the_error_and_not_where_in_its_library_it_stands(tmp_path: Path) -> None:
    place = "[/__w/pytorch/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:537]"
    run = died(
        tmp_path, "dist.all_reduce(g)", f"RuntimeError: {place} Read error [127.0.0.1]:26812: Connection reset by peer"
    )
    assert "RuntimeError: Read error [127.0.0.1]:26812: Connection reset" in run.headline


def test_a_crash_that_no_rule_knows_by_its_words_quotes_them(tmp_path: Path) -> None:
    run = died(tmp_path, "f = h5py.File(p)", "OSError: Unable to create file (unable to open file: name = 'x.h5')")
    assert run.headline.startswith("Crashed") and "OSError: Unable to create file" in run.headline
