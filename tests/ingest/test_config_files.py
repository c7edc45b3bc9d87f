"""Configuration files are told from curves and come out as flat keys, however hostile."""

import json
import math
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.ingest.settings.files import is_config, read_config


def put(tmp_path, text, name):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def config(tmp_path, text, name="config.yaml"):
    path = put(tmp_path, text, name)
    assert is_config(path, path.read_bytes()[: 1 << 16])
    return read_config(path)


NESTED = {"optim": {"name": "adam", "lr": 0.1, "betas": [0.9, 0.999]}, "seed": 3, "amp": True, "resume": None}
FLAT = {"optim.name": "adam", "optim.lr": 0.1, "optim.betas": "[0.9, 0.999]", "seed": 3, "amp": True}


@pytest.mark.parametrize("name", ["config.json", "hparams.json", "args.json", "params.json", "trainConfig.json"])
def test_json_settings_are_flat_dotted_keys(tmp_path, name):
    assert config(tmp_path, json.dumps(NESTED, indent=2), name) == (FLAT, ())


@pytest.mark.parametrize("name", ["config.yaml", "hparams.yaml", "train.yml", ".hydra/config.yaml", "params.yaml"])
def test_yaml_settings_are_the_same(tmp_path, name):
    text = "# made by hand\noptim:\n  name: adam\n  lr: 1e-1\n  betas: [0.9, 0.999]\nseed: 3\namp: true\nresume: null\n"
    assert config(tmp_path, text, name) == (FLAT, ())


def test_toml_and_plain_text_settings_are_read(tmp_path):
    assert config(tmp_path, "seed = 3\n[optim]\nlr = 0.1\n", "config.toml")[0] == {"seed": 3, "optim.lr": 0.1}
    assert config(tmp_path, "lr: 0.1\nmodel: mlp\n", "args.txt")[0] == {"lr": 0.1, "model": "mlp"}
    assert config(tmp_path, "Namespace(lr=0.1, model='mlp')", "args.txt")[0] == {"lr": 0.1, "model": "mlp"}


def test_wandb_settings_are_unwrapped_and_its_own_keys_left_out(tmp_path):
    text = "wandb_version: 1\n\n_wandb:\n  value:\n    cli_version: 0.17\nlr:\n  desc: null\n  value: 0.1\n"
    text += "net:\n  value:\n    dim: 8\n"
    assert config(tmp_path, text)[0] == {"lr": 0.1, "net.dim": 8}


def test_a_settings_key_called_value_is_not_unwrapped_alone(tmp_path):
    assert config(tmp_path, "lr: 0.1\nhead:\n  value: 2\n")[0] == {"lr": 0.1, "head.value": 2}


def test_hydra_overrides_are_settings(tmp_path):
    assert config(tmp_path, "- optim.lr=0.1\n- +seed=3\n", ".hydra/overrides.yaml")[0] == {"optim.lr": 0.1, "seed": 3}


def test_python_tags_give_the_values_below_them(tmp_path):
    text = (
        "lr: 0.1\nargs: !!python/object:argparse.Namespace\n  depth: 3\ndims: !!python/tuple\n- 1\n- 2\n"
        "run: !!python/object/apply:os.system ['touch hacked']\nwhen: 2026-01-01 10:00:00\n"
    )
    found, notes = config(tmp_path, text, "hparams.yaml")
    assert found["lr"] == 0.1 and found["args.depth"] == 3 and found["dims"] == "[1, 2]" and notes == ()
    assert isinstance(found["when"], str) and not Path("hacked").exists()


def test_shared_values_of_a_yaml_are_read(tmp_path):
    assert config(tmp_path, "a: &x {lr: 0.1}\nb: *x\n")[0] == {"a.lr": 0.1, "b.lr": 0.1}


@pytest.mark.parametrize(
    "text",
    [
        "lr: 0.1\na0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}, *a{i - 1}]\n" for i in range(1, 40)),
        "lr: 0.1\na: &a\n  b: *a\n",
        "lr: 0.1\na: " + "[" * 20_000,
        "lr: 0.1\na: " + "{b: " * 5_000,
        "lr: 0.1\n" + "x: [1, 2\n" * 10,
        "lr: 0.1\n? [1, {2: 3}]\n: x\n",
        "lr: 0.1\n" + "k: " + "v" * 300_000 + "\n",
    ],
    ids=["laughs", "cycle", "brackets", "braces", "unclosed", "odd-key", "huge"],
)
def test_hostile_yaml_ends_quickly_with_its_plain_lines_and_a_note(tmp_path, text):
    path = put(tmp_path, text, "config.yaml")
    started = time.process_time()  # of this process alone: whatever else the machine does is not the reader's time
    found, notes = read_config(path)
    assert time.process_time() - started < 5
    assert found["lr"] == 0.1 and [n.kind for n in notes] == ["damaged"]


def test_damaged_json_and_pointers_are_notes(tmp_path):
    assert [n.kind for n in read_config(put(tmp_path, '{"lr": 0.1, "se', "config.json"))[1]] == ["damaged"]
    assert [n.kind for n in read_config(put(tmp_path, '{"a": ' * 10_000, "config.json"))[1]] == ["damaged"]
    lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    assert [n.kind for n in read_config(put(tmp_path, lfs, "config.yaml"))[1]] == ["lfs-pointer"]
    assert [n.kind for n in read_config(tmp_path / "gone.yaml")[1]] == ["unreadable"]


def test_non_finite_settings_survive(tmp_path):
    found, _ = config(tmp_path, '{"clip": Infinity, "x": NaN}', "config.json")
    assert found["clip"] == math.inf and math.isnan(float(found["x"]))


def test_a_file_of_a_million_keys_is_cut_and_a_long_text_too(tmp_path):
    path = put(tmp_path, json.dumps({f"k{i}": i for i in range(50_000)} | {"s": "x" * 5000}), "config.json")
    assert len(read_config(path)[0]) <= 5000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("metrics.json", '{"loss": [1, 2, 3]}'),
        ("config.json", '{"loss": [3.0, 2.0, 1.0], "epochs": 3}'),
        ("params.json", '{"log_history": []}'),
        ("config.json", '{"step": 1, "loss": 2}\n{"step": 2, "loss": 1}\n'),
        ("train_config.json", '[{"a": 1}]'),
        ("tokenizer_config.json", '{"vocab": 3}'),
        ("wandb-summary.json", '{"loss": 1}'),
        ("results.json", '{"accuracy": 1}'),
        ("train.txt", "step 1 loss 2\n"),
        ("docker-compose.yml", "services:\n"),
        (".pre-commit-config.yaml", "repos: []\n"),
        ("config.yaml", ""),
        ("config.yaml", "just some prose\n"),
    ],
)
def test_what_is_no_configuration_is_left_alone(name, text):
    assert not is_config(Path(name), text.encode())


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["config.yaml", "config.json", "config.toml", "args.txt"]))
def test_any_bytes_are_read_without_an_error(tmp_path_factory, data, name):
    path = put(tmp_path_factory.mktemp("c"), data, name)
    is_config(path, data)
    found, _ = read_config(path)
    assert all(isinstance(v, (bool, int, float, str)) for v in found.values())


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="ab:- \n[]{}&*!#'\",|>1.", max_size=80))
def test_any_yaml_is_read_without_an_error(tmp_path_factory, text):
    read_config(put(tmp_path_factory.mktemp("c"), text, "config.yaml"))


@pytest.mark.parametrize("line", ["\n", "\n ", " \n", "#\n", "\n#", "---\n", "a\n", "- ", "{", "[", "a: &a *a\n"])
def test_a_page_of_nothing_takes_no_time(tmp_path, line):
    path = tmp_path / "config.yaml"
    path.write_text(line * (30_000 // len(line)) + "\x01")
    start = time.process_time()
    is_config(path, path.read_bytes()[: 1 << 16])
    read_config(path)
    assert time.process_time() - start < 10.0
