"""How much contact data redaction finds: 1,000 generated letters with the formats of ten countries.

    python benchmarks/redaction.py

`contact_recall` is the share, in percent, of telephone, account and card numbers and of e-mail, web and IP
addresses that the set `contact` covers completely. Each letter also has a number like that of a card but with
a wrong check digit; `wrong_cards` counts those that are taken for cards, in whole or in part.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from _record import Metrics, as_command, record

from fofe.tagging.rules import CONTACT, Rules
from fofe.text.tokenise import tokeniser

LETTERS = 1000
WRONG = "wrong"
PHONES = {  # N is a digit from 2 on
    "US": ["(N##) N##-####", "N##-N##-####", "+1 N## N## ####", "N##.N##.####"],
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
TEMPLATES = [
    "Dear Ms Berg,\nring {phone} or write to {email}. Pay to {iban}.\nMore on {url}; IP {ip}. "
    "Card {card}, not {wrong}.",
    "Tel.: {phone}\nE-mail: <{email}>\nIBAN: {iban}\nWeb: {url}\nKarte {card}, IP {ip}\nRef. {wrong}",
    "Estimada Ana: mi número es {phone}, mi correo {email}, la cuenta {iban} ({url}). "
    "Tarjeta {card}, {ip}. Pedido {wrong}",
    "您好，请致电{phone}，邮箱{email}，账户{iban}，网址{url} ，卡号{card}，地址{ip}。编号{wrong}。",
]


class Letter(NamedTuple):
    """A text and where each kind of contact data stands in it."""

    text: str
    spans: dict[str, tuple[int, int]]


def main() -> None:
    """Measure, print, record."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    metrics = measured(LETTERS)
    print(metrics)
    record("redaction", metrics, "python benchmarks/redaction.py")


def measured(number: int) -> Metrics:
    """What is found in so many letters, which are always the same."""
    rules, cut = Rules.of(CONTACT), tokeniser("en")
    covered = total = wrong_cards = 0
    for text, spans in letters(number):
        mentions = rules.applied(cut.document(text)).mentions
        wrong_start, wrong_end = spans.pop(WRONG)
        wrong_cards += any(
            one.type == "CARD" and one.start < wrong_end and wrong_start < one.end for one in mentions
        )
        total += len(spans)
        covered += sum(
            any(one.start <= start and end <= one.end for one in mentions) for start, end in spans.values()
        )
    return {"contact_recall": round(100 * covered / total, 2), "wrong_cards": wrong_cards, "letters": number}


def letters(number: int) -> Iterator[Letter]:
    """Letters from all countries in turn."""
    draw = random.Random(1)
    for one in range(number):
        data = _contact_data(list(PHONES)[one % len(PHONES)], draw)
        text, spans = "", {}
        for place, part in enumerate(re.split(r"\{(\w+)\}", draw.choice(TEMPLATES))):
            if place % 2:
                spans[part] = len(text), len(text) + len(data[part])
            text += data[part] if place % 2 else part
        yield Letter(text, spans)


def _contact_data(country: str, draw: random.Random) -> dict[str, str]:
    """The data of a person, and a number that is no card's."""

    def digits(pattern: str) -> str:
        return re.sub("[#N]", lambda one: draw.choice("0123456789"[2 * (one[0] == "N") :]), pattern)

    def shown(card: str) -> str:
        return draw.choice([card, grouped(card, (4, 4, 4)), grouped(card, (4, 4, 4), "-")])

    bank = country if country in IBANS else "DE"
    account = digits(IBANS[bank])
    number = "".join(str(int(one, 36)) for one in f"{account}{bank}00")
    iban = f"{bank}{98 - int(number) % 97:02}{account}"
    card, other = digits("4" + "#" * 14), digits("4" + "#" * 14)
    wrong = (luhn_digit(other) + draw.randint(1, 9)) % 10
    user = draw.choice(["anna.berg", "j.o'neil", "li_wei88", "ana+news", "müller"])
    site = f"{draw.choice(['acme', 'nord-sud', 'x1'])}.{DOMAINS[country]}"
    return {
        "phone": digits(draw.choice(PHONES[country])),
        "email": f"{user}@{site}",
        "iban": draw.choice([iban, grouped(iban, (4,) * 8)]),
        "url": draw.choice([f"https://{site}/a?b=1", f"www.{site}", f"http://{site}"]),
        "card": shown(f"{card}{luhn_digit(card)}"),
        "ip": draw.choice([digits("10.1#.2#.#"), "2001:db8::8a2e:370:7334", "fe80::1"]),
        WRONG: shown(f"{other}{wrong}"),
    }


def luhn_digit(digits: str) -> int:
    """The check digit that follows these digits."""
    doubled = [int(one) * (2 if place % 2 == 0 else 1) for place, one in enumerate(reversed(digits))]
    return -sum(one - 9 if one > 9 else one for one in doubled) % 10


def grouped(text: str, groups: tuple[int, ...], between: str = " ") -> str:
    """The text cut into pieces of these lengths, and what is left."""
    parts, rest = [], text
    for size in groups:
        parts.append(rest[:size])
        rest = rest[size:]
    return between.join(filter(None, [*parts, rest]))


if __name__ == "__main__":
    as_command(main)
