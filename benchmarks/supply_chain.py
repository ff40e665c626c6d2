"""What fofe is built from: a lock with hashes, known vulnerabilities, a bill of materials.

    python benchmarks/supply_chain.py lock     (writes requirements.lock from constraints.txt)
    python benchmarks/supply_chain.py audit    (asks the package registry for known vulnerabilities)
    python benchmarks/supply_chain.py sbom     (writes docs/reference/sbom.json for the plain install)

Each tool (uv, pip-audit, cyclonedx-bom) is installed into a temporary environment. PyTorch is not in the
lock: its builds differ by platform and source.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from _record import ROOT, as_command, record

CONSTRAINTS, LOCK = ROOT / "constraints.txt", ROOT / "requirements.lock"
SBOM = ROOT / "docs" / "reference" / "sbom.json"
PYTHON = "3.11.7"
HEADER = """\
# The packages of constraints.txt with the hashes of their files, for Python 3.11 and newer, PyTorch aside:
# pip install --no-deps --require-hashes -r requirements.lock
# Made by python benchmarks/supply_chain.py lock
"""


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = {"lock": lock, "audit": audit, "sbom": sbom}
    parser.add_argument("command", choices=commands)
    commands[parser.parse_args().command]()


@contextmanager
def tools(*packages: str) -> Iterator[Path]:
    """The directory of programs of a temporary environment with some packages."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([f"{folder}/bin/pip", "install", "--quiet", *packages], check=True)
        yield Path(folder, "bin")


def lock() -> None:
    """Write the lock: the same versions, with the hashes that the registry states."""
    pins = re.findall(r"^(?!torch==)[\w.-]+==.*$", CONSTRAINTS.read_text("utf-8"), re.M)
    with tools("uv") as programs, tempfile.NamedTemporaryFile("w", suffix=".in") as pinned:
        pinned.write("\n".join(pins))
        pinned.flush()
        flags = ["--quiet", "--no-deps", "--generate-hashes", "--no-annotate", "--no-header"]
        command = [f"{programs}/uv", "pip", "compile", *flags, "--python-version", PYTHON, pinned.name]
        locked = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    LOCK.write_text(HEADER + locked, "utf-8")
    print(f"{LOCK}: {locked.count('==')} packages")


def audit() -> None:
    """Count the packages with known vulnerabilities; ends where the registry does not tell."""
    with tools("pip-audit") as programs:
        command = [f"{programs}/pip-audit", "--no-deps", "--disable-pip", "-r", str(LOCK), "-f", "json"]
        found = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["dependencies"]
    unknown = [one["name"] for one in found if "skip_reason" in one]
    vulnerable = [one["name"] for one in found if one.get("vulns")]
    print(f"{len(found)} packages, {len(unknown)} unknown to the service; vulnerable: {vulnerable or 'none'}")
    if len(unknown) == len(found):
        raise SystemExit("skipped: the package registry that is reached here has no list of vulnerabilities")
    metrics = {"packages": len(found), "unknown": len(unknown), "vulnerable": len(vulnerable)}
    record("audit", metrics, "python benchmarks/supply_chain.py audit")


def sbom() -> None:
    """Write the CycloneDX bill of materials of the plain install."""
    with (
        tools("cyclonedx-bom") as programs,
        tools("-c", str(CONSTRAINTS), str(ROOT)) as installed,
    ):
        flags = ["--output-reproducible", "--of", "JSON", "-o", str(SBOM)]
        command = [f"{programs}/cyclonedx-py", "environment", *flags, str(installed.parent)]
        subprocess.run(command, check=True)
    whole = json.loads(SBOM.read_text("utf-8"))
    del whole["metadata"]  # about the tool that wrote it
    # The place of the checkout, and the tools that every environment has, are no part of the install.
    whole["components"] = [
        {key: value for key, value in one.items() if key != "externalReferences"}
        for one in whole["components"]
        if one["name"] not in ("pip", "setuptools")
    ]
    kept = {one["bom-ref"] for one in whole["components"]}
    whole["dependencies"] = [one for one in whole.get("dependencies", []) if one["ref"] in kept]
    SBOM.write_text(json.dumps(whole, indent=1) + "\n", "utf-8")
    print(f"{SBOM}: {', '.join(one['name'] for one in whole['components'])}")


if __name__ == "__main__":
    as_command(main)
