"""`fofe train` at its border; tests/training has what happens inside."""

from __future__ import annotations

from pathlib import Path

import pytest

from fofe.cli import main

pytest.importorskip("torch")


def failed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The message of a run that must end with code 2 and one line."""
    assert main(["train", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("fofe: ")
    return error.splitlines()[-1]


def test_settings_on_the_command_line_and_the_path_of_the_model(
    tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    options = ["--set", "training.epochs=1", "--set", "model.views.cased.dimension=5"]
    assert main(["train", str(tiny_config), "-o", str(folder), *options]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{folder / 'model'}\n"
    assert "epoch 1  loss" in captured.err
    assert "best dev F1" in captured.err
    assert main(["model", "inspect", str(folder / "model")]) == 0
    assert "cased, 5, " in capsys.readouterr().out


def test_an_earlier_run_is_kept(
    tiny_config: Path, tiny_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", str(tiny_config), "-o", str(tiny_run)]) == 2
    assert "holds an earlier run (resume it by --resume, " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("training.epoch=3", "unknown key 'training.epoch' (did you mean 'epochs'?)"),
        ("trainng.epochs=3", "fofe: unknown key 'trainng' (did you mean 'training'?)"),
        ("training.epochs=x", "training.epochs must be a whole number, not 'x'"),
        ("training.epochs", "'training.epochs' is not KEY=VALUE"),
        ('data.train=["none.jsonl"]', "none.jsonl: there is no such file or directory"),
        ("model.views.cased.vectors=none.bin", "none.bin: cannot be read: No such file"),
        ("training.device=warp", "device 'warp' cannot be used"),
    ],
)
def test_mistakes_end_with_one_line_and_code_2(
    setting: str, message: str, tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", str(tiny_config), "-o", str(tmp_path / "run"), "--set", setting]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("fofe: ")
    assert message in last
    assert not (tmp_path / "run").exists()


def test_the_plan_names_the_labels_that_stay(
    tiny_config: Path, tiny_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", str(tiny_config), "--plan", "--from", str(tiny_path)]) == 0
    assert f"labels that stay from {tiny_path}: " in capsys.readouterr().out


def test_the_plan_is_told_and_nothing_is_trained(
    tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["train", str(tiny_config), "--plan", "--set", "model.max_words=2"]) == 0
    told = capsys.readouterr().out
    assert "labels of the model: GPE, ORG, ORG_NOM, PER, PER_NOM" in told
    assert "without a label: NONE" in told
    assert "training mentions of more than max_words = 2 words" in told
    assert list(tmp_path.iterdir()) == []
    assert "a directory for the run: -o DIR" in failed(capsys, str(tiny_config))


def test_missing_and_broken_configurations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.toml"
    assert "x.toml: cannot be read" in failed(capsys, str(path), "-o", "run")
    path.write_text("[data\n", encoding="utf-8")
    assert "x.toml: is not valid TOML" in failed(capsys, str(path), "-o", "run")
    path.write_text('[data]\ntrain = ["a"]\n[trainin]\n', encoding="utf-8")
    assert "unknown key 'trainin' (did you mean 'training'?)" in failed(capsys, str(path), "-o", "run")


def test_a_start_that_is_no_model(
    tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = failed(capsys, str(tiny_config), "-o", str(tmp_path / "run"), "--from", str(tmp_path / "none"))
    assert "none: there is no such model directory" in message


def test_settings_that_a_start_overrides_are_refused(
    tiny_config: Path, tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--from", str(tiny_path), "--set", "model.hidden=[8]"]
    error = failed(capsys, str(tiny_config), "-o", str(tmp_path / "run"), *options)
    assert error.endswith(
        "--set model.hidden has no effect with --from: the model keeps its own views and layers"
    )


def test_nothing_to_resume_is_said(
    tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, one = tmp_path / "run", ["--set", "training.epochs=1", "--set", "gate.enabled=false"]
    assert main(["train", str(tiny_config), "-o", str(folder), "--resume", *one]) == 0
    assert f"there is no run to resume in {folder}: training begins anew" in capsys.readouterr().err
    assert main(["train", str(tiny_config), "-o", str(folder), "--resume", *one]) == 0
    assert "no run to resume" not in capsys.readouterr().err


def test_corpora_are_enough(
    tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from fofe.training.corpora import start_config

    train, dev = (str(tiny_config.with_name(f"{part}.jsonl")) for part in ("train", "dev"))
    short = ["--set", "training.epochs=1", "--set", "model.hidden=[8]", "--set", "gate.enabled=false"]
    run = ["--train", train, "--dev", dev, "--lang", "es", "-o", str(tmp_path / "run")]
    assert main(["train", *run, *short]) == 0
    capsys.readouterr()
    assert main(["model", "inspect", str(tmp_path / "run" / "model")]) == 0
    told = capsys.readouterr().out
    assert "language           es" in told
    assert "nested" in told, "as the corpus is"
    monkeypatch.chdir(Path(train).parent)
    config = start_config([Path(train).name], None, {"decoding.nested": False})
    assert config.data is not None
    assert (config.data.train, config.data.dev, config.decoding.nested) == ((train,), None, False)


def test_corpora_without_a_configuration_can_start_from_a_model(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"tokens": ["Milk", "and", "eggs"], "ner_tags": ["B-FOOD", "O", "B-FOOD"]}\n' * 30, "utf-8"
    )
    run = ["--train", str(rows), "--from", str(tiny_path), "-o", str(tmp_path / "run")]
    assert main(["train", *run, "--set", "training.epochs=1", "--set", "gate.enabled=false"]) == 0
    capsys.readouterr()
    assert main(["model", "inspect", str(tmp_path / "run" / "model"), "--json"]) == 0
    assert '"FOOD"' in capsys.readouterr().out


def test_what_to_train_on_is_said_once(
    tiny_config: Path, tiny_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, other = str(tiny_config), ["-o", "run"]
    assert "say what to train on: fofe train CONFIG.toml, or --train CORPUS" in failed(capsys, *other)
    assert "or --train CORPUS" in failed(capsys, "--dev", "dev.jsonl", *other)
    for name, key in ("train", "data.train"), ("dev", "data.dev"), ("lang", "model.language"):
        error = failed(capsys, given, f"--{name}", "x", *other)
        assert f"--{name} goes without a configuration (leave out {given}, or give --set {key}=...)" in error
    with_start = ["--train", "x.jsonl", "--lang", "es", "--from", str(tiny_path), *other]
    assert "--lang has no effect with --from, which has a language" in failed(capsys, *with_start)
    assert "x.jsonl: there is no such file or directory" in failed(capsys, "--train", "x.jsonl", *other)
