"""Names that have to do with context managers, for the frontend and the passes."""

ENTER, EXIT = "__enter__", "__exit__"
"""The methods that `with` calls."""

TEXT = "with"
"""An attribute of a call of `__enter__`: the manager as the user wrote it."""

GRADIENT_MODES = frozenset(
    f"torch.autograd.grad_mode.{name}"
    for name in ("no_grad", "inference_mode", "enable_grad", "set_grad_enabled")
)
_MARKERS = (
    "torch.autograd.profiler.record_function",
    "warnings.catch_warnings",
)
FILTERS = frozenset(("warnings.filterwarnings", "warnings.simplefilter"))
"""What is called inside `warnings.catch_warnings`: it changes no value."""
NULL = "contextlib.nullcontext"
AUTOCASTS = {
    "torch.amp.autocast_mode.autocast": None,
    "torch.cuda.amp.autocast_mode.autocast": "cuda",
    "torch.cpu.amp.autocast_mode.autocast": "cpu",
}
"""Classes of autocast -> their device; None: it is their first argument."""

HARMLESS = GRADIENT_MODES.union(_MARKERS)
"""Managers that change no value, and give nothing that is used."""

MANAGERS = HARMLESS.union([NULL], AUTOCASTS)
"""Classes whose instances do nothing before they are entered."""
