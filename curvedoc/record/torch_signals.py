"""What a torch model tells between backward() and the optimizer's step: rate, norms, shares of zeros."""

from __future__ import annotations

from typing import Any

#: Activations that are zero where they are dead.
_ZEROING = ("ReLU", "ReLU6", "LeakyReLU", "GELU", "SiLU", "ELU", "Hardswish")


class TorchSignals:
    """Reads a model and its optimizer; hooks activations only for the step of which their zeros are asked."""

    def __init__(self, model: Any, optimizer: Any = None) -> None:
        self._parameters = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        self._activations = [(name, m) for name, m in model.named_modules() if type(m).__name__ in _ZEROING]
        self._optimizer = optimizer
        self._handles: list[Any] = []
        self._zeros: dict[str, Any] = {}
        self.watch_zeros(True)

    def values(self, layers: bool) -> dict[str, float]:
        """The rates and the gradient's norm; with layers also each one's norms and shares of zeros."""
        import torch

        out: dict[str, float] = dict(self._rates())
        grads = [(name, p.grad) for name, p in self._parameters if p.grad is not None]
        if grads:
            norms = torch.stack([torch.linalg.vector_norm(g.detach().float()) for _, g in grads])
            out["grad_norm"] = float(torch.linalg.vector_norm(norms))
            if layers:
                out.update(zip((f"grad_norm/{name}" for name, _ in grads), norms.tolist(), strict=True))
        if layers:
            weights = [torch.linalg.vector_norm(p.detach().float()) for _, p in self._parameters]
            if weights:
                listed = torch.stack(weights).tolist()
                out.update(zip((f"weight_norm/{name}" for name, _ in self._parameters), listed, strict=True))
            out.update({f"zero_fraction/{name}": float(share) for name, share in self._zeros.items()})
            self._zeros.clear()
        return out

    def watch_zeros(self, on: bool) -> None:
        """Whether the next forward pass counts zeros: a hook on each activation costs a pass over its output."""
        if on and not self._handles:
            self._handles = [m.register_forward_hook(self._counter(name)) for name, m in self._activations]
        elif not on:
            self.close()

    def close(self) -> None:
        """Take the hooks off the model."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _rates(self) -> dict[str, float]:
        groups = [] if self._optimizer is None else self._optimizer.param_groups
        rates = [float(g["lr"]) for g in groups]
        if len(set(rates)) == 1:
            return {"lr": rates[0]}
        return {f"lr/group{i}": rate for i, rate in enumerate(rates)}

    def _counter(self, name: str) -> Any:
        def count(module: Any, inputs: Any, output: Any) -> None:
            if hasattr(output, "eq"):
                self._zeros[name or "output"] = output.detach().eq(0).float().mean()

        return count
