"""Rules beside a model: what they match, what wins, and the sets that come with the package."""

import json
import random
import re
import time
from pathlib import Path

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
        ('[[rule]]\nname = "a"\ntype = "A"', "needs one of pattern, phrases and file"),
        ('[[rule]]\nname = "a"\npattern = "a"', "needs a type"),
        ('[[rule]]\nname = "a"\ntype = "A"\npattern = "("', "is not valid"),
        ('[[rule]]\nname = "a"\ntype = "A"\npattern = "a"\naction = "drop"', "forbid, replace, add"),
        ('[[rule]]\nname = "a"\ntype = "A"\npatern = "a"', "did you mean 'pattern'?"),
        ('[[rule]]\nname = "a"\ntype = "A"\nfile = "nowhere.txt"', "nowhere.txt"),
    ],
)
def test_bad_rules_are_refused(
    tiny_path: Path, tmp_path: Path, content: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.toml").write_text(content)
    assert main(["tag", "-m", str(tiny_path), "-t", "Lima", "--rules", str(tmp_path / "rules.toml")]) == 2
    assert problem in capsys.readouterr().err


def test_an_unknown_set_is_refused_with_those_there_are() -> None:
    with pytest.raises(FofeError, match="contact"):
        Rules.of("contacts")


def test_the_command_follows_rules_and_redacts_contact_data(
    tiny_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tag = ["tag", "-m", str(tiny_path), "-t", "ring +47 22 33 44 55"]
    assert main([*tag, "--rules", "contact", "-f", "jsonl"]) == 0
    assert json.loads(capsys.readouterr().out)["mentions"][0]["rule"] == "contact: international telephone"
    assert main([*tag, "--redact"]) == 0
    assert capsys.readouterr().out == "ring [PHONE]\n"


def luhn_digit(digits: str) -> int:
    doubled = [int(one) * (2 if place % 2 == 0 else 1) for place, one in enumerate(reversed(digits))]
    return -sum(one - 9 if one > 9 else one for one in doubled) % 10


CARDS = st.sampled_from([(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (16,), (15,), (13,), (19,)])


@given(CARDS, st.sampled_from([" ", "-"]), st.integers(0, 9), st.randoms(use_true_random=False))
def test_only_numbers_with_the_right_check_digit_are_cards(
    groups: tuple[int, ...], between: str, last: int, draw: random.Random
) -> None:
    digits = "3" + "".join(draw.choice("0123456789") for _ in range(sum(groups) - 2))
    right = last == luhn_digit(digits)
    number = grouped(digits + str(last), groups, between)
    cards = [text for text, type in contact(f"Card: {number}, valid until 12/27.") if type == "CARD"]
    assert cards == ([number] if right else [])


def grouped(text: str, groups: tuple[int, ...], between: str = " ") -> str:
    parts, rest = [], text
    for size in groups:
        parts.append(rest[:size])
        rest = rest[size:]
    return between.join(filter(None, [*parts, rest]))


PHONES = {
    "US": ["(###) ###-####", "###-###-####", "+1 ### ### ####", "###.###.####"],
    "GB": ["020 #### ####", "07### ######", "+44 20 #### ####", "+44 (0)20 #### ####", "(020) #### ####"],
    "DE": ["030 / ######", "0171 #######", "+49 30 ######", "(030) ######-##", "+49 (0) 171 #######"],
    "FR": ["01 ## ## ## ##", "06.##.##.##.##", "+33 6 ## ## ## ##", "+33 (0)1 ## ## ## ##"],
    "ES": ["6## ### ###", "91 ### ## ##", "+34 6## ## ## ##", "6########"],
    "IT": ["06 ########", "+39 06 ########", "+39 3## #######", "02-########"],
    "NO": ["22 ## ## ##", "9## ## ###", "+47 9## ## ###", "0047 ########"],
    "CN": ["010-########", "138########", "138 #### ####", "+86 138 #### ####", "0755-########"],
    "BR": ["(11) 9####-####", "+55 11 9####-####", "(21) ####-####"],
    "IN": ["+91 98### #####", "98### #####", "011-########", "9#########"],
}
IBANS = {"GB": "WEST" + "#" * 14, "DE": "#" * 18, "FR": "#" * 23, "ES": "#" * 20, "IT": "X" + "#" * 22}
IBANS |= {"NO": "#" * 11, "BR": "#" * 23 + "P1"}
DOMAINS = {"US": "com", "GB": "co.uk", "DE": "de", "FR": "fr", "ES": "es", "IT": "it", "NO": "no"}
DOMAINS |= {"CN": "com.cn", "BR": "com.br", "IN": "co.in"}
LETTERS = [
    "Dear Ms Berg,\nring {phone} or write to {email}. Pay to {iban}.\nMore on {url}; IP {ip}. Card {card}.",
    "Tel.: {phone}\nE-mail: <{email}>\nIBAN: {iban}\nWeb: {url}\nKarte {card}, IP {ip}",
    "Estimada Ana: mi número es {phone}, mi correo {email}, la cuenta {iban} ({url}). Tarjeta {card}, {ip}",
    "您好，请致电{phone}，邮箱{email}，账户{iban}，网址{url} ，卡号{card}，地址{ip}。",
]


def letter(country: str, draw: random.Random) -> tuple[str, dict[str, str]]:
    def digits(pattern: str) -> str:
        return re.sub("#", lambda _: draw.choice("0123456789"), pattern)

    country_of_bank = country if country in IBANS else "DE"
    account = digits(IBANS[country_of_bank])
    number = "".join(str(int(one, 36)) for one in f"{account}{country_of_bank}00")
    iban = f"{country_of_bank}{98 - int(number) % 97:02}{account}"
    card = digits("4" + "#" * 14)
    card += str(luhn_digit(card))
    user = draw.choice(["anna.berg", "j.o'neil", "li_wei88", "ana+news", "müller"])
    site = f"{draw.choice(['acme', 'nord-sud', 'x1'])}.{DOMAINS[country]}"
    data = {
        "phone": digits(draw.choice(PHONES[country])),
        "email": f"{user}@{site}",
        "iban": draw.choice([iban, grouped(iban, (4,) * 8)]),
        "url": draw.choice([f"https://{site}/a?b=1", f"www.{site}", f"http://{site}"]),
        "card": draw.choice([card, grouped(card, (4, 4, 4)), grouped(card, (4, 4, 4), "-")]),
        "ip": draw.choice([digits("10.1#.2#.#"), "2001:db8::8a2e:370:7334", "fe80::1"]),
    }
    return draw.choice(LETTERS).format(**data), data


def test_contact_data_of_ten_countries_is_redacted() -> None:
    draw = random.Random(1)
    missed, total = [], 0
    for number in range(1000):
        country = list(PHONES)[number % len(PHONES)]
        text, data = letter(country, draw)
        spans = [(one.start, one.end) for one in CONTACT.applied(tokeniser("en").document(text)).mentions]
        for kind, value in data.items():
            start = text.index(value)
            total += 1
            if not any(first <= start and start + len(value) <= last for first, last in spans):
                missed.append((country, kind, value))
    assert len(missed) <= 0.005 * total, missed[:20]


def test_dates_times_and_prices_are_no_contact_data() -> None:
    text = "On 01.02.2024 at 10:30:45, 12/31/2025, 3,500,000.00 euros, 1 000 000 people, std::map, 0.1234567."
    assert contact(text) == []


@pytest.mark.parametrize("set_name", [path.stem for path in SHIPPED.glob("*.toml")])
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
