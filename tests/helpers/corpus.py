"""Where the labeled corpus lies, if it is here."""

import os
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("CURVEDOC_CORPUS") or _HERE.parent / "shared" / "corpus")
SIGNALS = _HERE / "rules" / "signals.yaml"

needs_corpus = pytest.mark.skipif(
    not (CORPUS / "labels.jsonl").exists(), reason="the labeled corpus is not here (set CURVEDOC_CORPUS)"
)
