"""What is built and installed: the wheel, its metadata, the pinned versions, and tagging without torch."""

from __future__ import annotations

import email
import email.message
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import fofe

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent

WITHOUT_TORCH = """\
import sys
sys.modules["torch"] = None  # makes every import of it fail
import fofe
assert fofe.__file__.startswith(sys.argv.pop(1)), fofe.__file__
from fofe.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def unpacked(wheel: Path) -> Path:
    """A directory to import the built package from."""
    folder = wheel.parent / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="session")
def metadata(unpacked: Path) -> email.message.Message:
    (file,) = unpacked.glob("*.dist-info/METADATA")
    return email.message_from_string(file.read_text("utf-8"))


def run_without_torch(unpacked: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_TORCH, str(unpacked), *arguments],
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        cwd=unpacked,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    source = ROOT / "src"
    assert names == {
        file.relative_to(source).as_posix()
        for file in source.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert "fofe/py.typed" in names


def test_the_metadata_tells_the_version_and_a_small_core(metadata: email.message.Message) -> None:
    assert metadata["Version"] == fofe.__version__
    requirements = [str(value) for value in metadata.get_all("Requires-Dist", [])]
    core = {requirement_name(line) for line in requirements if "extra ==" not in line}
    assert core == {"numpy", "safetensors", "shtab", "tomli", "tqdm"}
    assert not any(re.search(r"[<=]=|<", line.partition(";")[0]) for line in requirements), (
        "lower bounds only"
    )


def test_tags_without_torch(unpacked: Path, tiny_path: Path) -> None:
    text = "Anna Berg met the mayor of Bergen."
    done = run_without_torch(unpacked, "tag", "-m", str(tiny_path), "-f", "tsv", "-t", text)
    assert done.returncode == 0, done.stderr
    assert "Anna Berg" in done.stdout


def test_training_without_torch_says_what_to_install(
    unpacked: Path, tiny_config: Path, tmp_path: Path
) -> None:
    done = run_without_torch(unpacked, "train", str(tiny_config), "-o", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "fofe[train]" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_line_starts_without_anything_heavy(unpacked: Path) -> None:
    code = (
        "import sys, fofe.cli; fofe.cli.make_parser(); sys.exit(bool({'numpy', 'torch'} & set(sys.modules)))"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        cwd=unpacked,
        check=True,
    )


def imported_by(code: str) -> set[str]:
    """The modules that are loaded after some code has run in a new process."""
    code = f"{code}; import sys; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    return set(done.stdout.split())


def test_loading_a_model_imports_no_corpus_format(tiny_path: Path) -> None:
    loaded = imported_by(f"import fofe; fofe.load({str(tiny_path)!r})")
    assert "fofe.model.engine" in loaded
    assert not {name for name in loaded if name.startswith("fofe.formats")}


def test_reading_a_configuration_imports_few_modules() -> None:
    config = str(ROOT / "configs" / "compact.toml")
    loaded = imported_by(f"from fofe.training.config import load_config; load_config({config!r})")
    assert len({name for name in loaded if name.split(".")[0] == "fofe"}) <= 40
    assert "torch" not in loaded


def test_reading_vectors_imports_no_corpus_format() -> None:
    loaded = imported_by("import fofe.formats.vectors")
    assert {name for name in loaded if name.startswith("fofe.formats.")} <= {
        "fofe.formats.vectors",
        "fofe.formats.common",
    }


def test_public_names_are_listed_and_found() -> None:
    code = "import fofe; assert set(fofe.__all__) <= set(dir(fofe)); print(fofe.FofeError.__module__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "fofe.base.errors\n"
    for name in fofe.__all__:
        assert getattr(fofe, name) is not None
    with pytest.raises(fofe.FofeError, match="no such model"):
        fofe.load("no-such-model")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_script_to_try_it_says_how_it_is_used(option: str) -> None:
    done = subprocess.run(["sh", ROOT / "try.sh", option], capture_output=True, text=True, check=True)
    assert done.stdout == 'usage: ./try.sh ["Another sentence." ...]\n'


def requirement_name(requirement: str) -> str:
    found = re.match(r"[\w-]+", requirement.strip())
    assert found, requirement
    return found[0].lower().replace("_", "-")


def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return table


def test_constraints_pin_every_dependency_exactly() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w-]+==[\w.]+(; python_version .+)?", pin) for pin in pins)
    of_project = project()["project"]
    extras = of_project["optional-dependencies"].values()
    wanted = {requirement_name(line) for part in (of_project["dependencies"], *extras) for line in part}
    wanted |= {requirement_name(line) for line in project()["build-system"]["requires"]}
    assert wanted - {"fofe"} <= {requirement_name(pin) for pin in pins}


def test_the_citation_and_the_changes_tell_this_version() -> None:
    assert f"\nversion: {fofe.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(
        rf"^## .*{re.escape(fofe.__version__)}", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M
    )


@pytest.mark.parametrize("name", ["try", "test"])
def test_the_readme_has_the_commands_that_ci_runs(name: str) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    found = re.findall(rf"^<!-- run by \.ci/run: {name} -->\n```bash\n(.+)\n```$", readme, re.M)
    assert len(found) == 1
    assert f"readme_command {name}" in (ROOT / ".ci" / "run").read_text("utf-8")
