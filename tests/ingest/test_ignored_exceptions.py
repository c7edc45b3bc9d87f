"""What a destructor raised is printed as a traceback and ends nothing."""

from pathlib import Path

import pytest

import curvedoc

RAISED = """Exception ignored in: <bound method _MultiProcessingDataLoaderIter.__del__ of <torch.utils.data.dataloader>>
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py", line 1203, in __del__
    self._shutdown_workers()
  File "/usr/lib/python3.6/multiprocessing/process.py", line 122, in join
    assert self._parent_pid == os.getpid(), 'can only join a child process'
AssertionError: can only join a child process
"""


@pytest.mark.parametrize("often", [1, 3])
@pytest.mark.parametrize("ignored", [True, False])
def test_an_ignored_exception_is_no_crash(tmp_path: Path, often: int, ignored: bool) -> None:
    rows = "".join(f"Epoch {i} loss {2 * 0.9**i + 0.3:.4f}\n" for i in range(30))
    raised = RAISED if ignored else RAISED.split("\n", 1)[1]
    (tmp_path / "log.txt").write_text(rows + raised * often)
    (run,) = curvedoc.analyze(tmp_path).runs
    assert ("crash-traceback" in {f.symptom for f in run.findings}) is not ignored
