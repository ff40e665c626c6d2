from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import FofeError
from fofe.base.report import Report
from fofe.cli import main
from fofe.formats import read_corpus
from fofe.fusion import Confidence, Rule, fuse, learn
from fofe.kbp.tab import TabMention, read_tab, write_tab
from fofe.text.document import Mention


def mention(start: int, end: int, label: str = "PER", score: float = 0.8) -> Mention:
    type, _, kind = label.partition("_")
    return Mention(start, end, type, kind or "NAM", score, "x" * (end - start))


def spans(mentions: list[Mention]) -> list[tuple[int, int, str]]:
    return [(found.start, found.end, found.label) for found in mentions]


A = [mention(0, 2), mention(5, 8, "ORG"), mention(10, 12, "GPE", 0.6)]
B = [mention(0, 2), mention(6, 8, "ORG", 0.9)]
C = [mention(0, 2, "PER_NOM"), mention(5, 8, "ORG"), mention(20, 21, "GPE")]


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        (Rule("union"), [(0, 2, "PER"), (5, 8, "ORG"), (10, 12, "GPE"), (20, 21, "GPE")]),
        (Rule("intersection"), []),
        (Rule("votes"), [(0, 2, "PER"), (5, 8, "ORG")]),
        (Rule("votes", votes=1), [(0, 2, "PER"), (5, 8, "ORG"), (10, 12, "GPE"), (20, 21, "GPE")]),
        (Rule("votes", votes=3), []),
        (Rule("weighted", threshold=0.5), [(0, 2, "PER"), (5, 8, "ORG")]),
        (Rule("weighted", threshold=0.25), [(0, 2, "PER"), (5, 8, "ORG"), (20, 21, "GPE")]),
        (Rule("weighted", weights=(0, 1, 0)), [(0, 2, "PER"), (6, 8, "ORG")]),
        (
            Rule("union", nested=True),
            [(0, 2, "PER"), (5, 8, "ORG"), (6, 8, "ORG"), (10, 12, "GPE"), (20, 21, "GPE")],
        ),
    ],
)
def test_methods(rule: Rule, kept: list[tuple[int, int, str]]) -> None:
    assert spans(fuse([A, B, C], rule)) == kept


def test_scores_rank_by_votes_and_then_by_confidence() -> None:
    (two,) = fuse([[mention(0, 1, score=0.2)], [mention(0, 1, score=0.2)], []])
    (one,) = fuse([[mention(0, 1, score=1.0)], [], []], Rule("union"))
    assert one.score == pytest.approx(1 / 3)
    assert two.score == pytest.approx(1.2 / 3)


def test_mentions_nest_where_those_of_a_system_do() -> None:
    nested = [mention(0, 9, "ORG"), mention(4, 9, "GPE")]
    assert spans(fuse([nested, nested])) == [(0, 9, "ORG"), (4, 9, "GPE")]
    assert spans(fuse([nested, nested], Rule(nested=False))) == [(0, 9, "ORG")]


@pytest.mark.parametrize(
    "rule",
    [
        *(Rule("vote"), Rule(strategy="best"), Rule(votes=3), Rule(votes=0), Rule(threshold=2)),
        *(Rule(weights=(1,)), Rule(weights=(1, -1)), Rule(weights=(0, 0))),
    ],
)
def test_rules_that_make_no_sense(rule: Rule) -> None:
    with pytest.raises(FofeError):
        fuse([[], []], rule)


SYSTEM = st.lists(
    st.builds(
        lambda start, length, label, score: mention(start, start + length, label, score),
        st.integers(0, 12),
        st.integers(1, 4),
        st.sampled_from(["PER", "GPE", "PER_NOM"]),
        st.floats(0, 1),
    ),
    max_size=8,
)


@given(
    st.lists(SYSTEM, min_size=2, max_size=4), st.booleans(), st.sampled_from(["union", "votes", "weighted"])
)
def test_what_is_kept_was_found_and_does_not_cross(
    systems: list[list[Mention]], nested: bool, method: str
) -> None:
    fused = fuse(systems, Rule(method, nested=nested))
    found = [set(spans(system)) for system in systems]
    for span in spans(fused):
        votes = sum(span in of_system for of_system in found)
        assert votes >= (len(systems) // 2 + 1 if method == "votes" else 1)
    for number, one in enumerate(fused):
        assert 0 <= one.score <= 1
        for other in fused[:number]:
            apart = one.start >= other.end or other.start >= one.end
            inside = (one.start >= other.start and one.end <= other.end) or (
                other.start >= one.start and other.end <= one.end
            )
            assert apart or (nested and inside and (one.start, one.end) != (other.start, other.end))


@given(SYSTEM, st.booleans())
def test_a_system_with_itself_is_that_system(system: list[Mention], nested: bool) -> None:
    once = fuse([system], Rule("union", nested=nested))
    assert spans(fuse([once, once, once], Rule("intersection"))) == spans(once)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_confidence_never_falls_and_keeps_the_share(pairs: list[tuple[float, bool]]) -> None:
    fitted = Confidence.fitted(pairs)
    assert (np.diff(fitted.shares) > 0).all()
    assert (np.diff(fitted.scores) >= 0).all()
    low, high = fitted.of([mention(0, 1, score=0.2), mention(0, 1, score=0.7)])
    assert 0 <= low.score <= high.score <= 1


def test_confidence_is_the_share_that_was_right() -> None:
    fitted = Confidence.fitted([(0.9, True)] * 7 + [(0.9, False)] * 3)
    assert fitted.of([mention(0, 1, score=0.9)])[0].score == pytest.approx(0.7)
    assert Confidence.fitted([]).of([mention(0, 1, score=0.3)])[0].score == pytest.approx(0.3)


def test_calibration_trusts_the_better_system() -> None:
    gold = [[mention(0, 2)], [mention(3, 5)], [], []]
    sure_but_wrong = [[mention(7, 9, score=0.99)] for _ in gold]
    shy_but_right = [[mention(found.start, found.end, score=0.3) for found in text] for text in gold]
    systems = [sure_but_wrong, shy_but_right]
    confidences, rule = learn(gold, systems, Rule("weighted"))
    calibrated = [
        [confidence.of(text) for text in texts]
        for texts, confidence in zip(systems, confidences, strict=True)
    ]
    fused = [fuse(texts, rule) for texts in zip(*calibrated, strict=True)]
    assert [spans(text) for text in fused] == [spans(text) for text in gold]


def test_weak_systems_learn_low_weights() -> None:
    gold = [[mention(0, 2)] for _ in range(10)]
    weak = [*gold[:5], *([mention(5, 7)] for _ in range(5))]
    systems = [weak, gold, weak]
    _, equal = learn(gold, systems, Rule("weighted", weights=(1, 1, 1)))
    assert equal.weights == (1, 1, 1), "weights that are given stay"
    confidences, rule = learn(gold, systems, Rule("weighted"))
    assert rule.weights[1] > min(rule.weights)
    calibrated = [list(map(one.of, texts)) for one, texts in zip(confidences, systems, strict=True)]
    assert [spans(fuse(texts, rule)) for texts in zip(*calibrated, strict=True)] == list(map(spans, gold))


@pytest.fixture
def tabs(tmp_path: Path) -> list[str]:
    def row(document: str, start: int, text: str, kb: str, score: float = 0.9) -> TabMention:
        return TabMention(document, start, start + len(text), text, "PER", "NAM", kb, score, "x", f"{start}")

    runs = (
        [row("ENG_1", 5, "Anna", "NIL1"), row("ENG_2", 3, "Omar", "E7")],
        [row("ENG_1", 5, "Anna", "E1", 0.5), row("ENG_1", 30, "Li", "NIL1")],
    )
    paths = []
    for name, rows in zip("ab", runs, strict=True):
        write_tab(rows, tmp_path / f"{name}.tab")
        paths.append(str(tmp_path / f"{name}.tab"))
    return paths


def test_tab_files(tabs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "fused.tab"
    assert main(["fuse", *tabs, "-o", str(output), "--method", "union"]) == 0
    rows = read_tab(output, Report())
    assert [(row.place, row.kb, row.run) for row in rows] == [
        ("ENG_1:5-8", "E1", "fused"),
        ("ENG_1:30-31", "NIL000001", "fused"),
        ("ENG_2:3-6", "E7", "fused"),
    ]
    assert rows[0].score == pytest.approx(0.85)
    assert "2 + 2 mentions -> 3" in capsys.readouterr().err
    assert main(["fuse", *tabs, "-o", str(output)]) == 0
    assert [row.text for row in read_tab(output, Report())] == ["Anna"]


def test_what_is_joined_is_not_written_over(
    tabs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev = tmp_path / "dev.tab"
    dev.write_bytes(Path(tabs[0]).read_bytes())
    before = dev.read_bytes()
    for output in (tabs[0], str(dev)):
        command = ["fuse", *tabs, "--dev-gold", str(dev), "--dev", tabs[0], "--dev", tabs[1], "-o", output]
        assert main(command) == 2
        assert f"{output}: is the input itself (choose another name)" in capsys.readouterr().err
        assert Path(output).read_bytes() == before


def test_calibrated_on_annotated_files(tabs: list[str], tmp_path: Path) -> None:
    output = tmp_path / "fused.tab"
    dev = ["--dev-gold", tabs[0], "--dev", tabs[0], "--dev", tabs[1]]
    assert main(["fuse", *tabs, "-o", str(output), "--method", "weighted", *dev]) == 0
    assert [row.text for row in read_tab(output, Report())] == ["Anna", "Omar"]


def test_json_lines(tmp_path: Path) -> None:
    for name, mentions in (("a", '[[0, 4, "PER"]]'), ("b", '[[0, 4, "PER"], [8, 12, "GPE"]]')):
        line = f'{{"id": "d", "text": "Anna in Lima", "mentions": {mentions}, "genre": "news"}}\n'
        (tmp_path / f"{name}.jsonl").write_text(line, encoding="utf-8")
    paths = [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]
    output = str(tmp_path / "fused.jsonl")
    assert main(["fuse", *paths, "-o", output, "--method", "intersection"]) == 0
    (document,) = read_corpus(output)
    assert [found.text for found in document.mentions] == ["Anna"]
    assert document.meta == {"genre": "news"}
    (tmp_path / "b.jsonl").write_text('{"id": "d", "text": "Anna in Rome"}\n', encoding="utf-8")
    assert main(["fuse", *paths, "-o", output]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.tab"], "at least two systems"),
        (["a.tab", "b.jsonl"], "some of the files are .tab files"),
        (["a.tab", "b.tab", "--weights", "1,x"], "is not a list of numbers"),
        (["a.tab", "b.tab", "--votes", "3"], "impossible number of votes: 3 of 2 systems"),
        (["a.tab", "b.tab", "--dev-gold", "g.tab"], "one --dev for each system"),
        (["a.tab", "b.tab", "--dev", "g.tab"], "one --dev for each system"),
        (["a.jsonl", "b.jsonl"], "x.tab: joined predictions make JSON lines (let -o end in .jsonl"),
        (
            ["a.tab", "b.tab", "-o", "x.jsonl"],
            "x.jsonl: joined .tab files make a .tab file (let -o end in .tab)",
        ),
    ],
)
def test_arguments_that_make_no_sense(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fuse", "-o", str(tmp_path / "x.tab"), *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"id": "1", "text": "Ana"}'], "b.jsonl: has 1 document where A has 2 (join what systems found"),
        (['{"id": "1", "text": "Ana"}', '{"id": "3", "text": "Rio"}'], "document 2 is '3', but '2' in A"),
        (['{"text": "Ana"}', '{"text": "Oslo"}'], "b.jsonl: document 2 has another text than in A"),
    ],
)
def test_only_the_same_texts_are_joined(
    lines: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text('{"id": "1", "text": "Ana"}\n{"id": "2", "text": "Rio"}\n', "utf-8")
    second.write_text("\n".join(lines), "utf-8")
    assert main(["fuse", str(first), str(second), "-o", str(tmp_path / "out.jsonl")]) == 2
    error = capsys.readouterr().err
    assert message in error.replace(str(first), "A")
    assert "gold" not in error
