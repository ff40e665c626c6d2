"""What users of a model may give it: anything else is refused before any work is done."""

from collections.abc import Iterable

from fofe.base.errors import FofeError
from fofe.text.document import Document

ENGINES = ("numpy", "torch")


def check_engine(engine: object, device: object) -> None:
    """Refuse an engine that there is not, and a device where it has no effect."""
    if engine not in ENGINES:
        raise FofeError(f"unknown engine {engine!r} (choose from {', '.join(ENGINES)})")
    if engine != "torch" and device not in ("auto", "cpu"):
        raise FofeError(f'device {device!r} needs engine="torch" (NumPy runs on the CPU)')


def check_type(value: object, kinds: type | tuple[type, ...], what: str, fix: str = "") -> None:
    """Refuse what is not of these types; `what` says what it must be."""
    if not isinstance(value, kinds):
        raise FofeError(f"{what}, not of type {type(value).__name__}" + (f" ({fix})" if fix else ""))


def check_several(items: object, what: str, fix: str) -> None:
    """Refuse one item, or none, where several are taken."""
    if isinstance(items, (str, bytes, Document)) or not isinstance(items, Iterable):
        found = "one string" if isinstance(items, str) else f"a value of type {type(items).__name__}"
        raise FofeError(f"several {what} are needed, not {found} ({fix})")


def check_options(alternatives: object, for_recall: object, exact: object, scheme: object) -> None:
    """Refuse values that are not those of `with_options`; `Decoding` checks its own."""
    is_count = isinstance(alternatives, int) and not isinstance(alternatives, bool) and alternatives >= 0
    if alternatives is not None and not is_count:
        raise FofeError(f"alternatives must be a whole number of at least 0, not {alternatives!r}")
    for name, value in (("for_recall", for_recall), ("exact", exact)):
        if value is not None and not isinstance(value, bool):
            raise FofeError(f"{name} must be True or False, not {value!r}")
    if scheme is not None and not isinstance(scheme, str):
        raise FofeError(f"scheme must be the name of a corpus, not {scheme!r}")
