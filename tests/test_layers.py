"""Imports go one way: the layers of pyproject.toml hold, lazy and TYPE_CHECKING imports included.

`lint-imports` checks the same contract. This test walks the source with `ast`, so the two check each other.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "fofe"


def layers() -> list[list[str]]:
    """The packages of each layer, the highest first."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = table["tool"]["importlinter"]["contracts"]
    assert set(contract) == {"name", "type", "containers", "exhaustive", "layers"}, "no import is ignored"
    return [layer.split(" | ") for layer in contract["layers"]]


def imported(tree: ast.AST) -> Iterator[str]:
    """The full names that any import statement of a module mentions, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def package_imports() -> dict[str, dict[str, str]]:
    """For each part of fofe the other parts that it imports, with one module that does."""
    parts = {path.stem if path.suffix == ".py" else path.name for path in SOURCE.iterdir()}
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for file in sorted(SOURCE.rglob("*.py")):
        module = file.relative_to(SOURCE).with_suffix("").parts
        if module == ("__init__",):
            continue  # names what a user imports, and is imported for the version alone
        own = found[module[0]]
        for name in imported(ast.parse(file.read_text("utf-8"))):
            root, _, rest = name.partition(".")
            part = rest.partition(".")[0]
            if root == "fofe" and part in parts - {module[0]}:
                own[part] = ".".join(module)
    return found


IMPORTS = package_imports()


def test_every_package_has_a_layer() -> None:
    assert sorted(IMPORTS) == sorted(part for layer in layers() for part in layer)


@pytest.mark.parametrize("part", sorted(IMPORTS))
def test_a_package_imports_only_from_lower_layers(part: str) -> None:
    depth = {name: number for number, layer in enumerate(layers()) for name in layer}
    upward = {other: module for other, module in IMPORTS[part].items() if depth[other] <= depth[part]}
    assert not upward


def test_no_packages_import_one_another() -> None:
    """Remove packages that import nothing that is left, until none is left; a cycle would stay."""
    left = {part: set(others) for part, others in IMPORTS.items()}
    while free := [part for part, others in left.items() if not others & set(left)]:
        for part in free:
            del left[part]
    assert not left


def test_the_walk_sees_lazy_and_conditional_imports() -> None:
    code = "def f():\n    from fofe.cli import main\nif TYPE_CHECKING:\n    import fofe.serve.app\n"
    assert list(imported(ast.parse(code))) == ["fofe.cli.main", "fofe.serve.app"]
