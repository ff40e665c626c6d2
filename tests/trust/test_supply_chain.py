"""The lock and the bill of materials state the versions that are tested."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from fofe.base.version import __version__

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not (ROOT / "constraints.txt").exists(), reason="needs the source tree")
PIN = r"^([\w.-]+)==([\w.+-]+)(?:; python_version >= \"3\.11\"| *\\)?$"


def pins(file: str) -> dict[str, str]:
    """The versions of packages, for Python 3.11 and newer."""
    found = re.findall(PIN, (ROOT / file).read_text("utf-8"), re.M)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


def test_the_lock_has_the_versions_of_the_constraints_with_hashes() -> None:
    constraints, lock = pins("constraints.txt"), pins("requirements.lock")
    del constraints["torch"]
    assert lock == constraints
    for block in re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text("utf-8")):
        assert block.startswith("#") or "--hash=sha256:" in block, block


def test_the_bill_of_materials_is_that_of_the_plain_install() -> None:
    listed = json.loads((ROOT / "docs/reference/sbom.json").read_text("utf-8"))["components"]
    found = {one["name"]: one["version"] for one in listed}
    wanted = {"numpy", "safetensors", "shtab", "tqdm"}
    assert found == {"fofe": __version__} | {name: pins("constraints.txt")[name] for name in wanted}
    if sys.version_info >= (3, 11):
        import tomllib

        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        needed = {
            re.split(r"[^\w-]", one)[0] for one in project["dependencies"] if "python_version" not in one
        }
        assert needed == wanted
