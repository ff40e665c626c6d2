"""Which packages of a source tree import one another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def cycles(root: Path) -> list[set[str]]:
    """The groups of sub-packages that import one another, directly or by way of others.

    `root` is the directory of the package, such as `src/fofe`. A module right in it counts as a package, its
    `__init__` and `__main__` aside. Imports in functions and under TYPE_CHECKING count like all others.
    """
    imports = _imports(root)
    reached = {package: _reached(package, imports) for package in imports}
    groups = {
        frozenset(other for other in reached[package] if package in reached[other]) for package in reached
    }
    return sorted((set(group) for group in groups if len(group) > 1), key=sorted)


def _reached(package: str, imports: dict[str, set[str]]) -> set[str]:
    """What a package imports, directly or by way of others, and itself."""
    found, waiting = {package}, [package]
    while waiting:
        new = imports[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def _imports(root: Path) -> dict[str, set[str]]:
    """The other sub-packages that each imports."""
    imports: dict[str, set[str]] = {}
    for file in sorted(root.rglob("*.py")):
        package = _package(root, file)
        if not package.startswith("__"):
            found = {_top(name, root) for name in _imported(root, file)}
            imports.setdefault(package, set()).update(found - {"", package})
    known = imports.keys()
    return {package: found & known for package, found in imports.items()}


def _package(root: Path, file: Path) -> str:
    return file.relative_to(root).with_suffix("").parts[0]


def _top(name: str, root: Path) -> str:
    """The sub-package of a dotted name, or nothing if the name is of another package."""
    first, _, rest = name.partition(".")
    return rest.partition(".")[0] if first == root.name else ""


def _imported(root: Path, file: Path) -> Iterator[str]:
    """The dotted names that a file imports; those of `from x import y` as `x.y`."""
    parents = [root.name, *file.relative_to(root).parts[:-1]]
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            within = parents[: len(parents) - node.level + 1] if node.level else []
            module = ".".join([*within, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)
