"""Callbacks of training libraries over `curvedoc.watching`; each imports its library when it is asked for.

    from curvedoc.integrations import HuggingFaceCallback   # Trainer(callbacks=[HuggingFaceCallback()])
    from curvedoc.integrations import LightningCallback     # Trainer(callbacks=[LightningCallback()])
    from curvedoc.integrations import KerasCallback         # model.fit(callbacks=[KerasCallback()])

Each writes its records, `curvedoc-report.html` and `curvedoc-report.json` into a folder `curvedoc`, when training ends
and when it dies. With `stop=True` training is stopped on a fatal finding, where there is one process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from curvedoc.integrations.huggingface import HuggingFaceCallback as HuggingFaceCallback
    from curvedoc.integrations.keras import KerasCallback as KerasCallback
    from curvedoc.integrations.lightning import LightningCallback as LightningCallback

_PLACES = {"HuggingFaceCallback": "huggingface", "LightningCallback": "lightning", "KerasCallback": "keras"}


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _PLACES:
        raise AttributeError(f"module 'curvedoc.integrations' has no attribute '{name}'")
    return getattr(importlib.import_module(f"curvedoc.integrations.{_PLACES[name]}"), name)
