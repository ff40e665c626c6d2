"""Rules beside a model: what they match, what wins, and the sets that come with the package."""

import json
import random
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import FofeError
from fofe.base.report import Report
from fofe.cli import main
from fofe.formats import jsonl
from fofe.tagging.model import Model
from fofe.tagging.rules import SHIPPED, Rule, Rules
from fofe.text.document import Document, Mention
from fofe.text.tokenise import tokeniser

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
redaction: Any = import_module("redaction")

CONTACT = Rules.of("contact")


def found(text: str, *rules: Rule, mentions: tuple[Mention, ...] = ()) -> list[tuple[str, str, str | None]]:
    document = tokeniser("en").document(text)
    document.mentions = list(mentions)
    return [
        (text[one.start : one.end], one.label, one.rule)
        for one in Rules.of(*rules).applied(document).mentions
    ]


def contact(text: str) -> list[tuple[str, str]]:
    mentions = CONTACT.applied(tokeniser("en").document(text)).mentions
    return [(one.text, one.type) for one in mentions]


def test_a_rule_matches_a_pattern_phrases_or_a_gazetteer(tmp_path: Path) -> None:
    (tmp_path / "towns.txt").write_text("New York\nYork\n")
    (tmp_path / "rules.toml").write_text(
        '[[rule]]\nname = "order"\ntype = "ORDER"\npattern = \'order (?P<mention>\\d+)\'\n'
        '[[rule]]\nname = "towns"\ntype = "GPE"\nfile = "towns.txt"\n'
        '[[rule]]\nname = "jobs"\ntype = "PER_NOM"\nphrases = ["town clerk"]\nignore_case = true\n'
    )
    document = tokeniser("en").document("The Town\nclerk of New  York sent order 12 to Yorkshire.")
    mentions = Rules.of(tmp_path / "rules.toml").applied(document).mentions
    assert [(one.text, one.label, one.rule) for one in mentions] == [
        ("Town\nclerk", "PER_NOM", "jobs"),
        ("New  York", "GPE", "towns"),
        ("12", "ORDER", "order"),
    ]


@pytest.mark.parametrize("pattern", ["x*", r"\b", r"(AC-\d+)?", "$", "(?P<mention>x)?A"])
@pytest.mark.parametrize("text", ["", "A", "In Oslo"])
def test_empty_matches_are_none(pattern: str, text: str) -> None:
    assert found(text, Rule("empty", "X", pattern=pattern)) == []
    assert found("AC-17", Rule("order", "X", pattern=r"(AC-\d+)?")) == [("AC-17", "X", "order")]


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"Oslo\nAnna\tPER\n", "list:2: has a tab"), (b"\x08\0\0\0{}", "list: is no text but, say, a gaz")],
)
def test_a_file_of_phrases_is_no_gazetteer(content: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes(content)
    with pytest.raises(FofeError, match=f"{problem}.*one phrase per line"):
        found("Anna left.", Rule("names", "X", file=str(tmp_path / "list")))


def test_forbidding_precedes_replacing_the_model_and_adding() -> None:
    text = "Anna Berg of Acme May"
    model = (Mention(0, 9, "PER"), Mention(5, 9, "GPE"), Mention(18, 21, "GPE"))
    assert found(text, Rule("a", "ORG", "add", phrases=("Berg",)), mentions=model)[:2] == [
        ("Anna Berg", "PER", None),
        ("Berg", "GPE", None),
    ]
    assert ("Berg", "ORG", "r") in found(text, Rule("r", "ORG", "replace", phrases=("Berg",)), mentions=model)
    assert ("Berg", "GPE", None) not in found(
        text, Rule("r", "ORG", "replace", phrases=("Berg",)), mentions=model
    )
    assert ("Anna Berg", "PER", None) in found(
        text, Rule("r", "ORG", "replace", phrases=("Berg",)), mentions=model
    )
    no_months = Rule("months", "GPE", "forbid", phrases=("May",))
    assert ("May", "GPE", None) not in found(text, no_months, mentions=model)
    assert found("May", no_months, Rule("a", "PER", phrases=("May",))) == [("May", "PER", "a")]
    assert (
        found("May", Rule("a", "PER", "replace", phrases=("May",)), Rule("f", action="forbid", pattern="May"))
        == []
    )


def test_of_overlapping_matches_the_longest_wins_and_then_the_first_rule() -> None:
    short, long = Rule("short", "A", phrases=("New York",)), Rule("long", "B", phrases=("New York Times",))
    same = Rule("same", "C", phrases=("New York Times",))
    assert found("New York Times", short, same, long) == [("New York Times", "C", "same")]
    assert found("New York Times", long, same, short) == [("New York Times", "B", "long")]


@given(st.data())
def test_redaction_with_rules_uncovers_nothing(data: st.DataObject) -> None:
    text = "x y z " * 4
    spans = st.tuples(st.integers(0, 20), st.integers(1, 4)).map(lambda one: (one[0], one[0] + one[1]))
    mentions = [Mention(*span, "PER") for span in data.draw(st.lists(spans, max_size=4))]
    document = Document(text, tokeniser("en").document(text).sentences, mentions)
    rule = Rule(
        "r",
        "X",
        data.draw(st.sampled_from(["add", "replace"])),
        pattern=data.draw(st.sampled_from(["y z", "x", "z x"])),
    )
    after = Rules.of(rule).applied(document).mentions
    covered = {place for one in mentions for place in range(one.start, one.end)}
    assert covered <= {place for one in after for place in range(one.start, one.end)}


def test_a_model_follows_rules_and_says_which(tiny_model: Model, tmp_path: Path) -> None:
    model = tiny_model.with_rules(Rule("order", "ORDER", pattern=r"AC-\d+"), "contact")
    document = model("Send AC-17 to anna@berg.no.")
    assert [(one.text, one.rule) for one in document.mentions if one.rule] == [
        ("AC-17", "order"),
        ("anna@berg.no", "contact: e-mail"),
    ]
    assert not [one for one in tiny_model("anna@berg.no").mentions if one.rule]
    assert '"rule"' not in tiny_model("Anna Berg left.").to_json()
    (tmp_path / "a.jsonl").write_text(document.to_json() + "\n")
    assert next(jsonl.read(tmp_path / "a.jsonl", Report())).mentions == document.mentions


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "has no rules"),
        ('[rule]\nname = "a"\ntype = "A"\npattern = "a"', "has no rules (begin each with [[rule]])"),
        ('[[rule]]\nname = "a"\ntype = "A"', "needs one of pattern, phrases and file, not none"),
        ('[[rule]]\nname = "a"\ntype = "A"\npattern = "a"\nphrases = ["a"]', "file, not pattern and phrases"),
        ('[[rule]]\nname = "a"\ntype = "A"\nphrases = ["a", ""]', "file, not an empty phrase"),
        ('[[rule]]\nname = "a"\ntype = "NONE"\npattern = "a"', "must not be NONE"),
        ('[[rule]]\nname = "a"\npattern = "a"', "needs a type"),
        ('[[rule]]\nname = "a"\ntype = "A"\npattern = "("', "is not valid"),
        ('[[rule]]\nname = "a"\ntype = "A"\npattern = "a"\naction = "drop"', "forbid, replace, add"),
        ('[[rule]]\nname = "a"\ntype = "A"\npatern = "a"', "did you mean 'pattern'?"),
        (
            '[[rule]]\nname = "a"\ntype = "A"\nfile = "nowhere.txt"',
            "rules.toml: rule 'a': there is no file now",
        ),
        ('[[rule]]\nname = "a"\ntype = "A\\tB"\npattern = "a"', "the type of rule 'a' has a tab"),
    ],
)
def test_bad_rules_are_refused(
    tiny_path: Path, tmp_path: Path, content: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.toml").write_text(content)
    assert main(["tag", "-m", str(tiny_path), "-t", "Lima", "--rules", str(tmp_path / "rules.toml")]) == 2
    assert problem in capsys.readouterr().err


def test_a_bad_rule_from_python_is_an_error_of_fofe() -> None:
    with pytest.raises(FofeError, match="needs a type"):
        Rule("code", pattern="a")


def test_a_file_of_rules_is_not_replaced(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('[[rule]]\nname = "a"\ntype = "A"\npattern = "a"\n', "utf-8")
    command = ["tag", "-m", str(tiny_path), "-t", "a", "--rules", str(path), "-f", "jsonl", "-o", str(path)]
    assert main(command) == 2
    assert "rules.toml: is the file of rules itself" in capsys.readouterr().err


def test_an_unknown_set_is_refused_with_those_there_are() -> None:
    with pytest.raises(FofeError, match="contact"):
        Rules.of("contacts")


def test_sets_are_named_together_before_or_behind_the_inputs(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, orders = tmp_path / "letter.txt", tmp_path / "orders.toml"
    text.write_text("AC-17: 5 euros on 12 May to a@b.no\n")
    orders.write_text('[[rule]]\nname = "order"\ntype = "ORDER"\npattern = "AC-[0-9]{2}"\n')
    rules = ["--rules", "contact", "dates", str(orders), "money"]
    for words in ([str(text), *rules], [*rules, str(text)], [*rules[:3], *rules[:1], *rules[3:], str(text)]):
        assert main(["tag", "-m", str(tiny_path), "-f", "jsonl", *words]) == 0
        mentions = json.loads(capsys.readouterr().out)["mentions"]
        assert [one["type"] for one in mentions if "rule" in one] == ["ORDER", "MONEY", "DATE", "EMAIL"]


def test_the_command_follows_rules_and_redacts_contact_data(
    tiny_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tag = ["tag", "-m", str(tiny_path), "-t", "ring +47 22 33 44 55"]
    assert main([*tag, "--rules", "contact", "-f", "jsonl"]) == 0
    assert json.loads(capsys.readouterr().out)["mentions"][0]["rule"] == "contact: international telephone"
    assert main([*tag, "--redact"]) == 0
    assert capsys.readouterr().out == "ring [PHONE]\n"


CARDS = st.sampled_from([(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (16,), (15,), (13,), (19,)])


@given(CARDS, st.sampled_from([" ", "-"]), st.integers(0, 9), st.randoms(use_true_random=False))
def test_only_numbers_with_the_right_check_digit_are_cards(
    groups: tuple[int, ...], between: str, last: int, draw: random.Random
) -> None:
    digits = "3" + "".join(draw.choice("0123456789") for _ in range(sum(groups) - 2))
    right = last == redaction.luhn_digit(digits)
    number = redaction.grouped(digits + str(last), groups, between)
    cards = [text for text, type in contact(f"Card: {number}, valid until 12/27.") if type == "CARD"]
    assert cards == ([number] if right else [])


def test_contact_data_of_ten_countries_is_redacted() -> None:
    found = redaction.measured(300)
    assert found["contact_recall"] >= 99.5
    assert found["wrong_cards"] == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See whitford.gov.uk/planning or rspca.org.uk.", "whitford.gov.uk/planning|rspca.org.uk"),
        ("example.com.au, ejemplo.com.mx, justice.gov.sk", "example.com.au|ejemplo.com.mx|justice.gov.sk"),
        ("(council.nsw.gov.au) BBC.CO.UK/news", "council.nsw.gov.au|BBC.CO.UK/news"),
        ("leeds.ac.uk; granada.gob.es; anna.me.uk", "leeds.ac.uk|granada.gob.es|anna.me.uk"),
        ("I saw acme.com.We left.", "acme.com"),
        ("Release v1.2.3.4 runs on 10.0.0.1, 地址10.1.2.3", "10.0.0.1|10.1.2.3"),
    ],
)
def test_addresses_are_taken_whole(text: str, expected: str) -> None:
    assert [found for found, _ in contact(text)] == expected.split("|")


def test_dates_times_and_prices_are_no_contact_data() -> None:
    text = "On 01.02.2024 at 10:30:45, 12/31/2025, 3,500,000.00 euros, 1 000 000 people, std::map, 0.1234567."
    assert contact(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("On Monday, 12 May 2024 at 10:30 am.", "Monday, 12 May 2024 DATE|10:30 am TIME"),
        ("May 12, 2024; the 3rd of March, 1999; 12-14 May", "May 12, 2024|3rd of March, 1999|12-14 May"),
        ("2024-05-12T10:30:00Z, 12/05/2024 or 5.12.24", "2024-05-12T10:30:00Z|12/05/2024|5.12.24"),
        ("in 1999, next Friday at half past ten", "1999|next Friday|half past ten TIME"),
        ("the 1990s, two years ago, in May, tomorrow", "the 1990s|two years ago|May|tomorrow"),
        ("el lunes 12 de mayo de 2024 a las 10:30", "lunes 12 de mayo de 2024 DATE|10:30 TIME"),
        ("el 1.º de enero a las diez y media", "1.º de enero|diez y media TIME"),
        ("la semana pasada, hace dos días, mañana", "semana pasada|hace dos días|mañana"),
        ("在2024年5月12日（星期一）上午10点30分", "2024年5月12日（星期一） DATE|上午10点30分 TIME"),
        ("二〇二四年五月十二日下午三点半，上周五", "二〇二四年五月十二日|下午三点半 TIME|上周五"),
        ("$5.3 million, US$ 5,000, €20k, 5 000 EUR", "$5.3 million MONEY|US$ 5,000|€20k|5 000 EUR"),
        ("five million dollars and 50 cents", "five million dollars MONEY|50 cents"),
        ("5.5%, 3 per cent, -5°C, 120 km/h, 3 million tonnes", "5.5% PERCENT|3 per cent|-5°C QUANTITY"),
        (
            "3.500,00 €, 5 millones de dólares, dos mil euros",
            "3.500,00 €|5 millones de dólares|dos mil euros",
        ),
        ("un 5,5 %, 120 metros cuadrados", "5,5 % PERCENT|120 metros cuadrados QUANTITY"),
        ("500万元，￥500，100美元，三百元，十块钱", "500万元 MONEY|￥500|100美元|三百元|十块钱"),
        ("百分之三十，20公里，三百平方米", "百分之三十 PERCENT|20公里 QUANTITY|三百平方米"),
    ],
)
def test_dates_and_amounts_in_three_languages(text: str, expected: str) -> None:
    mentions = Rules.of("dates", "money").applied(tokeniser("en").document(text)).mentions
    found = [f"{one.text} {one.type}" for one in mentions]
    wanted = expected.split("|")
    assert len(found) >= len(wanted)
    assert all(one.startswith(start) for one, start in zip(found, wanted, strict=False)), found


@pytest.mark.parametrize(
    "text",
    [
        "May I march on? The mayor had mayo in room 10.30, version 1.2.3 of 17.",
        "Pounds and euros; chapter 12, 2000 people, 555-1234, file a-2024-01-02-b.",
        "Dos amigos fueron al mar, a las casas, por la mañana.",
        "十分好，有点意见，三角形，这时候，周边，元素，大米",
    ],
)
def test_what_only_looks_like_dates_and_amounts(text: str) -> None:
    assert not Rules.of("dates", "money").applied(tokeniser("en").document(text)).mentions


@pytest.mark.parametrize("set_name", SHIPPED)
@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1",
        "a.",
        "1 ",
        "+1",
        "(0",
        "1-",
        "a@",
        "a@a.",
        "www.",
        "http://",
        "1.1.",
        "::",
        "f:",
        "de12",
        "0 0-",
        "12 ",
        "1,000",
        "$1",
        "one ",
        "12 de ",
        "十",
        "2024年",
    ],
)
def test_time_is_linear_in_the_text(set_name: str, unit: str) -> None:
    rules = Rules.of(set_name).rule

    def seconds(length: int) -> float:
        document = Document(unit * (length // len(unit)))
        runs = []
        for _ in range(3):
            start = time.process_time()
            for rule in rules:
                list(rule.spans(document))
            runs.append(time.process_time() - start)
        return min(runs)

    # Quadratic time would be 64 times as long.
    assert seconds(32_000) < 30 * max(seconds(4_000), 0.002)
