"""Models on the Hugging Face Hub, by a small one on this machine: pushed, downloaded, refused."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import fofe
from fofe.base.errors import FofeError, ModelError
from fofe.cli import main
from fofe.tagging.installed import model_path

yaml = pytest.importorskip("yaml")
constants = pytest.importorskip("huggingface_hub.constants", reason="the Hub needs fofe[hub]")

TEXT = "Anna Berg met the mayor of Bergen."
TOKEN = "hf_secret"
Captured = pytest.CaptureFixture[str]


class Hub(ThreadingHTTPServer):
    """Answers the calls that downloads and commits are made of. What is private needs the token."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.private: set[str] = set()
        self.messages: list[str] = []
        self.calls: list[str] = []
        self.broken = ""
        """A file that cannot be downloaded."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def commit(self, name: str) -> str:
        return hashlib.sha1(repr(sorted(self.repositories[name].items())).encode()).hexdigest()


class Handler(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, body: Any, status: int = 200, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def missing(self, code: str) -> None:
        self.answer({"error": code}, 404, X_Error_Code=code)

    def do_GET(self) -> None:
        hub, path = self.server, self.path.partition("?")[0].strip("/")
        hub.calls.append(path)
        is_api = path.startswith("api/models/")
        owner, name, *rest = path.removeprefix("api/models/").split("/")
        repository = f"{owner}/{name}"
        allowed = repository not in hub.private or self.headers["Authorization"] == f"Bearer {TOKEN}"
        if repository not in hub.repositories or not allowed:
            return self.missing("RepoNotFound")
        files, commit = hub.repositories[repository], hub.commit(repository)
        if len(rest) > 1 and rest[1] not in ("main", commit):
            return self.missing("RevisionNotFound")
        if is_api and rest[:1] == ["tree"]:
            return self.answer([{"type": "file", "path": file, "size": 1, "oid": commit} for file in files])
        if is_api:
            siblings = [{"rfilename": file} for file in files]
            facts = {"id": repository, "sha": commit, "private": repository in hub.private}
            return self.answer({**facts, "siblings": siblings})
        file = "/".join(rest[2:])
        if file == hub.broken:
            return self.answer({"error": "no"}, 403)  # the library repeats what others stop
        return self.answer(
            files[file], ETag=f'"{hashlib.sha1(files[file]).hexdigest()}"', X_Repo_Commit=commit
        )

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        hub = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self.answer({"error": "no"}, 403)
        if self.path == "/api/validate-yaml":
            return self.answer({})
        if self.path == "/api/repos/create":
            wanted = json.loads(body)
            name = f"{wanted['organization']}/{wanted['name']}"
            status = 409 if name in hub.repositories else 200
            if status == 200:
                hub.repositories[name] = {".gitattributes": b""}
                hub.private |= {name} if wanted.get("visibility") == "private" else set()
            return self.answer({"url": f"{hub.url}/{name}"}, status)
        _, _, _, owner, name, call, *_ = self.path.split("/")
        files = hub.repositories[f"{owner}/{name}"]
        if call == "preupload":
            paths = [file["path"] for file in json.loads(body)["files"]]
            modes = [{"path": path, "uploadMode": "regular", "shouldIgnore": False} for path in paths]
            return self.answer({"files": modes})
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            if line["key"] == "header":
                hub.messages.append(value["summary"])
            elif line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            else:
                del files[value["path"]]
        commit = hub.commit(f"{owner}/{name}")
        return self.answer({"commitUrl": f"{hub.url}/{owner}/{name}/commit/{commit}", "commitOid": commit})


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub that is ours, an empty cache, and a token."""
    with Hub() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setattr(constants, "ENDPOINT", server.url)
        files = server.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", files)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def shared(hub: Hub, tiny_path: Path) -> Hub:
    """The Hub with the tiny model as anna/tiny, beside files that are none of a model."""
    files = {file.name: file.read_bytes() for file in tiny_path.iterdir()}
    others = dict.fromkeys(("weights.bin", "model.pkl", "run.py", "encoders/x/pytorch_model.bin"), b"evil")
    hub.repositories["anna/tiny"] = files | others
    return hub


def cached(tmp_path: Path) -> set[str]:
    """The files below the cache, without those of its own."""
    folder = tmp_path / "cache" / "fofe" / "hub"
    return {file.name for file in folder.rglob("*") if file.is_file() and file.name not in ("lock", "main")}


def refused(address: str, capsys: Captured) -> str:
    """The one line with which a command refuses a model."""
    capsys.readouterr()
    assert main(["model", "inspect", address]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("fofe: ")]
    assert len(lines) == 1
    assert lines[0].startswith(f"fofe: {address}: ")
    assert TOKEN not in lines[0]
    return lines[0]


def test_a_model_is_loaded_by_its_address(shared: Hub, tiny_path: Path, tmp_path: Path) -> None:
    model = fofe.load("hf://anna/tiny")
    assert model(TEXT).mentions == fofe.load(tiny_path)(TEXT).mentions
    assert cached(tmp_path) == {file.name for file in tiny_path.iterdir()}
    folder = model_path("hf://anna/tiny")
    assert not any(file.is_symlink() for file in folder.rglob("*"))
    assert not any("resolve" in call and call.endswith((".bin", ".pkl", ".py")) for call in shared.calls)


def test_commands_and_configurations_take_addresses(shared: Hub, tiny_config: Path, capsys: Captured) -> None:
    assert main(["tag", "-m", "hf://anna/tiny", "-t", TEXT, "-f", "text"]) == 0
    assert "[Anna Berg PER]" in capsys.readouterr().out
    assert main(["evaluate", str(tiny_config.parent / "dev.jsonl"), "--model", "hf://anna/tiny"]) == 0
    from fofe.training.config import load_config

    read = load_config(tiny_config, {"training.teachers": ["hf://anna/tiny"]})
    assert read.training.teachers == ("hf://anna/tiny",)


def test_each_commit_is_downloaded_once(shared: Hub) -> None:
    first = model_path("hf://anna/tiny")
    downloads = [call for call in shared.calls if "/resolve/" in call]
    assert model_path("hf://anna/tiny") == first
    assert [call for call in shared.calls if "/resolve/" in call] == downloads
    old = shared.commit("anna/tiny")
    shared.repositories["anna/tiny"]["README.md"] = b"# Another card\n"
    second = model_path("hf://anna/tiny")
    assert (second / "README.md").read_text("utf-8") == "# Another card\n"
    assert model_path(f"hf://anna/tiny@{old}") == first


def test_without_the_network_the_last_download_is_used(
    shared: Hub, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    folder = model_path("hf://anna/tiny")
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    assert model_path("hf://anna/tiny") == folder
    assert model_path(f"hf://anna/tiny@{folder.name}") == folder
    assert "the Hub cannot be reached" in refused("hf://anna/tiny@v2", capsys)
    assert "(check the network" in refused("hf://anna/other", capsys)


def test_a_download_that_breaks_off_leaves_nothing(shared: Hub, tmp_path: Path, capsys: Captured) -> None:
    shared.broken = "model.safetensors"
    refused("hf://anna/tiny", capsys)
    assert cached(tmp_path) == set()
    shared.broken = ""
    fofe.load("hf://anna/tiny")


def test_what_is_no_model_is_refused_before_its_weights_are_fetched(
    hub: Hub, tmp_path: Path, capsys: Captured
) -> None:
    hub.repositories["anna/bert"] = {"config.json": b'{"model_type": "bert"}', "model.safetensors": b"0" * 99}
    hub.repositories["anna/empty"] = {".gitattributes": b""}
    hub.repositories["anna/list"] = {"config.json": b"[" * 100_000}
    for name in ("bert", "empty", "list"):
        assert "is not a fofe model (give one" in refused(f"hf://anna/{name}", capsys)
    assert not any(call.endswith("model.safetensors") for call in hub.calls)
    assert cached(tmp_path) == set()


def test_a_broken_model_meets_the_usual_checks(shared: Hub) -> None:
    shared.repositories["anna/tiny"]["model.safetensors"] = b"\x80\x04"
    with pytest.raises(ModelError, match=r"model\.safetensors: is broken"):
        fofe.load("hf://anna/tiny")


def test_what_the_hub_does_not_give(shared: Hub, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    assert "there is no such repository" in refused("hf://anna/none", capsys)
    assert "there is no such revision (give a branch" in refused("hf://anna/tiny@v9", capsys)
    shared.private.add("anna/tiny")
    fofe.load("hf://anna/tiny")
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    assert "if it is private, set HF_TOKEN" in refused("hf://anna/tiny", capsys)


@pytest.mark.parametrize("address", ["hf://tiny", "hf://../..", "hf://anna/tiny/model", "hf://", "hf://a/b@"])
def test_addresses_that_are_none(address: str, hub: Hub, capsys: Captured) -> None:
    assert "is not the address of a model (write hf://OWNER/NAME" in refused(address, capsys)
    assert hub.calls == []


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(FofeError, match=r"need huggingface_hub \(pip install 'fofe\[hub\]'\)"):
        fofe.load("hf://anna/tiny")


def front_matter(card: bytes) -> dict[str, Any]:
    _, data, _ = card.decode().split("---\n", 2)
    facts: dict[str, Any] = yaml.safe_load(data)
    return facts


def test_a_pushed_model_comes_back(hub: Hub, tiny_path: Path, capsys: Captured) -> None:
    command = [
        "model",
        "push",
        str(tiny_path),
        "hf://anna/new",
        "--licence",
        "cc-by-4.0",
        "--message",
        "First",
    ]
    assert main(command) == 0
    address = capsys.readouterr().out.strip()
    assert address == f"hf://anna/new@{hub.commit('anna/new')}"
    assert hub.messages == ["First"]
    assert fofe.load(address)(TEXT).mentions == fofe.load(tiny_path)(TEXT).mentions
    card = hub.repositories["anna/new"]["README.md"]
    assert b'fofe.load("hf://anna/new")' in card
    facts = front_matter(card)
    assert (facts["language"], facts["license"]) == ("en", "cc-by-4.0")
    assert facts["library_name"] == "fofe"
    assert facts["pipeline_tag"] == "token-classification"
    assert "named-entity-recognition" in facts["tags"]
    training = json.loads((tiny_path / "config.json").read_text("utf-8"))["training"]
    (index,) = facts["model-index"]
    stated = {one["dataset"]["name"]: one["metrics"][0]["value"] for one in index["results"]}
    assert index["name"] == "new"
    assert stated == {
        part: pytest.approx(training[part]["f1"] / 100, abs=1e-4)
        for part in ("test", "dev")
        if part in training
    }


def test_a_push_replaces_a_model_and_leaves_other_files(hub: Hub, tiny_path: Path, tmp_path: Path) -> None:
    both = str(tmp_path / "both")
    assert main(["model", "average", str(tiny_path), str(tiny_path), "-o", both]) == 0
    assert main(["model", "push", both, "hf://anna/new"]) == 0
    assert fofe.load("hf://anna/new")(TEXT).mentions == fofe.load(both)(TEXT).mentions
    hub.repositories["anna/new"]["figure.png"] = b"PNG"
    copy = shutil.copytree(tiny_path, tmp_path / "copy")
    (copy / "notes.pkl").write_bytes(b"")
    assert main(["model", "push", str(copy), "hf://anna/new"]) == 0
    own = {file.name for file in tiny_path.iterdir()}
    assert set(hub.repositories["anna/new"]) == {".gitattributes", "figure.png", *own}


def test_a_card_with_facts_of_its_own_stays(hub: Hub, tiny_path: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(tiny_path, tmp_path / "copy")
    (copy / "README.md").write_text("---\nlicense: mit\n---\n# Mine\n", "utf-8")
    assert main(["model", "push", str(copy), "hf://anna/new"]) == 0
    assert hub.repositories["anna/new"]["README.md"] == b"---\nlicense: mit\n---\n# Mine\n"


def test_a_private_push_never_makes_a_model_public(hub: Hub, tiny_path: Path, capsys: Captured) -> None:
    assert main(["model", "push", str(tiny_path), "hf://anna/secret", "--private"]) == 0
    assert hub.private == {"anna/secret"}
    hub.repositories["anna/open"] = {}
    assert main(["model", "push", str(tiny_path), "hf://anna/open", "--private"]) == 2
    assert "hf://anna/open: the repository is public (make it private" in capsys.readouterr().err
    assert hub.repositories["anna/open"] == {}


def test_a_push_without_permission(
    hub: Hub, tiny_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    assert main(["model", "push", str(tiny_path), "hf://anna/new"]) == 2
    message = capsys.readouterr().err
    assert "hf://anna/new: the Hub refuses access (set HF_TOKEN" in message
    assert "hf_other" not in message


def test_only_models_are_pushed(hub: Hub, tmp_path: Path, capsys: Captured) -> None:
    os.mkdir(tmp_path / "nothing")
    assert main(["model", "push", str(tmp_path / "nothing"), "hf://anna/new"]) == 2
    assert "holds no model" in capsys.readouterr().err
    assert hub.repositories == {}
