"""Models on the Hugging Face Hub, by addresses such as `hf://owner/name` or `hf://owner/name@revision`.

A download is kept under `~/.cache/fofe/hub/owner/name/COMMIT`, which appears when complete. Its files are
plain, since the cache of the library has links, which model directories must not have. `refs` beside it has
the commit of each revision, for when the Hub cannot be reached.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fofe.base.errors import InputError, ModelError, needs
from fofe.base.files import atomic_directory, lock, read_text, write_atomically
from fofe.base.version import __version__
from fofe.model.ensemble import Ensemble, load_stored
from fofe.model.storage import CONFIG, ENSEMBLE, StoredModel
from fofe.tagging.installed import HUB, scores_of

if TYPE_CHECKING:
    from huggingface_hub import HfApi

CARD = "README.md"
_NAME = r"[\w-][\w.-]*"
_ADDRESS = re.compile(rf"{HUB}({_NAME}/{_NAME})(?:@(.+))?")
_FILE = re.compile(
    rf"(?:{_NAME}/)*(?:{CONFIG}|{ENSEMBLE}|{CARD}|LICENSE|alphabet\.json|model\.safetensors|names\.gazetteer|"
    rf"replay\.txt|vocabulary\.[\w-]+\.txt|encoders/{_NAME}/{_NAME}\.(?:json|model|safetensors|txt))"
)
"""The files of a model or an ensemble, by their paths. All are data: there is no pickle among them."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_TOKEN = "set HF_TOKEN to a token that may do this, or run hf auth login"


class _UnreachableError(ModelError):
    """The Hub does not answer."""


def fetch(address: str) -> Path:
    """The directory of a model on the Hub, downloaded unless that commit was before."""
    repository, revision = _parse(address)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fofe" / "hub" / repository
    reference = cache / "refs" / quote(revision, safe="")
    if _COMMIT.fullmatch(revision) and (cache / revision).is_dir():
        return cache / revision
    api = _api()
    try:
        with _explained(address):
            info = api.model_info(repository, revision=revision)
    except _UnreachableError:
        with suppress(OSError):
            known = cache / reference.read_text("utf-8")
            if known.is_dir():
                return known
        raise
    if not _COMMIT.fullmatch(commit := str(info.sha)):
        raise ModelError("the Hub names no commit", path=address, remedy="check HF_ENDPOINT")
    names = {file.rfilename for file in info.siblings or () if _FILE.fullmatch(file.rfilename)}
    described = names & {CONFIG, ENSEMBLE}
    reference.parent.mkdir(parents=True, exist_ok=True)
    with lock(cache / "lock", wait=True):
        if not (cache / commit).is_dir():
            with atomic_directory(cache / commit) as aside:
                for part in (described, names - described):
                    for name in sorted(part):
                        with _explained(address):
                            api.hf_hub_download(repository, name, revision=commit, local_dir=aside)
                    _check_described(aside, address)  # before the rest, which may be large, is fetched
                shutil.rmtree(aside / ".cache")
        with write_atomically(reference) as stream:
            stream.write(commit)
    return cache / commit


def push(path: Path, address: str, *, message: str, private: bool, licence: str | None) -> str:
    """Make a model that of a repository, which is created if need be, in one commit; returns its address."""
    repository, revision = _parse(address)
    api = _api()
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    card = _card(load_stored(path), address, licence)
    found = (file.relative_to(path).as_posix() for file in sorted(path.rglob("*")) if file.is_file())
    files: dict[str, Any] = {name: path / name for name in found if _FILE.fullmatch(name)}
    files[CARD] = card.encode()
    with _explained(address):
        api.create_repo(repository, private=private, exist_ok=True)
        if private and not api.model_info(repository).private:
            remedy = "make it private on its page, or push without --private"
            raise ModelError("the repository is public", path=address, remedy=remedy)
        stored = api.list_repo_files(repository, revision=revision)
        done = api.create_commit(
            repository,
            [
                *(CommitOperationAdd(name, content) for name, content in files.items()),
                # Files of an earlier model would be taken for those of this one.
                *(
                    CommitOperationDelete(name)
                    for name in stored
                    if _FILE.fullmatch(name) and name not in files
                ),
            ],
            commit_message=message,
            revision=revision,
        )
    return f"{HUB}{repository}@{done.oid}"


def _parse(address: str) -> tuple[str, str]:
    """The repository and the revision."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        remedy = f"write {HUB}OWNER/NAME or {HUB}OWNER/NAME@REVISION"
        raise ModelError("is not the address of a model", path=address, remedy=remedy)
    return found[1], found[2] or "main"


def _api() -> HfApi:
    with needs("models on the Hub need huggingface_hub", "hub", "huggingface_hub"):
        from huggingface_hub import HfApi
    return HfApi(library_name="fofe", library_version=__version__)


def _check_described(folder: Path, address: str) -> None:
    """Refuse what is no model of fofe, such as one of another library, by its description."""
    for file in (CONFIG, ENSEMBLE):
        with suppress(InputError, ValueError, TypeError, RecursionError):
            if "format" in json.loads(read_text(folder / file)):
                return
    raise ModelError("is not a fofe model", path=address, remedy="give one that fofe model push has made")


@contextmanager
def _explained(address: str) -> Iterator[None]:
    """Report what goes wrong in a sentence of our own: those of the library might quote the token."""
    from huggingface_hub import errors

    http = errors.HfHubHTTPError
    try:
        yield
    except Exception as error:
        # Errors of the connection are those of the HTTP library, which has the first of these bases.
        if not isinstance(error, (OSError, ValueError, *http.__bases__)):
            raise
        if isinstance(error, OSError) and error.errno:
            raise  # of the disk
        status = error.response.status_code if isinstance(error, http) else None
        reason = type(error).__name__ if status is None else f"HTTP {status}"
        kind = ModelError
        if isinstance(error, errors.GatedRepoError):
            problem, remedy = "access is restricted", f"ask for it on the page of the repository; {_TOKEN}"
        elif isinstance(error, errors.RepositoryNotFoundError):
            problem = "there is no such repository, or you have no access"
            remedy = f"check the name; if it is private, {_TOKEN}"
        elif isinstance(error, errors.RevisionNotFoundError):
            problem, remedy = "there is no such revision", "give a branch, a tag or a commit"
        elif status in (401, 403) or isinstance(error, errors.LocalTokenNotFoundError):
            problem, remedy = "the Hub refuses access", _TOKEN
        elif isinstance(error, ValueError) and not isinstance(error, OSError):
            problem, remedy = f"the library refuses it: {reason}", "check the address, and the model's card"
        else:
            problem, remedy = (
                f"the Hub cannot be reached: {reason}",
                "check the network, and HF_ENDPOINT if set",
            )
            kind = _UnreachableError
        raise kind(problem, path=address, remedy=remedy) from None


def _card(stored: StoredModel | Ensemble, address: str, licence: str | None) -> str:
    """The model's card, below what the Hub sorts models by; a card that has that already stays as it is."""
    from huggingface_hub import EvalResult, ModelCardData

    repository, _ = _parse(address)
    model = stored.as_one if isinstance(stored, Ensemble) else stored
    text = "" if isinstance(stored, Ensemble) else stored.card
    if text.startswith("---\n"):
        return text
    training = {} if isinstance(stored, Ensemble) else stored.training
    f1, parts = scores_of(training)
    licence = licence or training.get("shipped", {}).get("licence")
    is_known = licence is None or re.fullmatch(r"[\w.-]+", licence)
    task = "token-classification"
    data = ModelCardData(
        language=model.config.language,
        license=(licence and licence.lower()) if is_known else "other",
        license_name=None if is_known else str(licence).replace(" ", "-"),
        library_name="fofe",
        pipeline_tag=task,
        tags=[task, "named-entity-recognition", "mention-detection"],
        model_name=repository.partition("/")[2],
        eval_results=[
            EvalResult(
                task_type=task,
                dataset_type=name,
                dataset_name=name,
                dataset_split=parts.get(name),
                metric_type="f1",
                metric_value=round(value / 100, 4),
            )
            for name, value in f1.items()
        ]
        or None,
    )
    text = text or f"# A fofe mention detector\n\nFinds {', '.join(model.labels[1:])} in text.\n"
    return f"---\n{data.to_yaml()}\n---\n{text.replace('PATH OF THIS DIRECTORY', f'{HUB}{repository}')}"
