"""Write models/machine_text.jsonl: text of machines, in which there is nobody to find.

    python models/machine_text.py

Logs, tables, price lists, listings, settings and codes, drawn at random from templates. A model that has only
seen prose takes numbers and identifiers for names.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

LINES = 2600
WORDS = """
    account action adapter address agent alarm alert archive array asset audit backup badge balance band
    bank base basket batch battery beam bill block board bolt book border box brake branch bread bridge
    brown brush bucket buffer bulb button cable cache camera card cargo cell chain chair channel chart
    check chip circuit class client clock cloth cloud cluster code coffee coil column command cook copper
    core corn cotton counter cover crane cream credit crop cursor curve cycle daemon data deck delay desk
    device dialog disk dish dock door dose draft drive driver drum dump engine entry error event fabric
    factor fan feed fence fiber field file filter fish flag flash floor flow flour folder force form frame
    fruit fuel fuse gas gate gateway gear glass glue grain graph green grid group guard hammer handle
    handler hash head heap heat hinge hook hose host hunter image index input item jam job joint juice
    kernel key knife label lamp layer leaf lease lemon lens level light limit line link list loader lock
    log loop lorry lumber mail main manager map margin market mask master matrix member memory menu meter
    milk mill mint mixer model module monitor motor mount nail name network night node nurse object oil
    olive option order output owner pack packet page paint panel paper parent parser part patch path
    payload pear pen pepper phone pipe pixel plan plate player plug plugin pocket point pool port post pot
    power price printer probe process profile program proxy pump query queue rack rail range rate reader
    record region relay render reply report request rest rice ring river road rock rod role roll roof root
    rose router row rubber rule runner salt sand scale scanner schema scope score screen screw sea seal
    search seat sector seed sender sensor server service session sheet shell shelf ship shop shunt signal
    silver site size skill slot smith soap socket soil source space spark spool spring square stack stage
    state station steel step stock stone storage store stream street string sugar suite switch symbol
    table tag tank tape target task tea team temp tenant thread ticket tile timber time timer token tool
    topic toner torch tower track trade trail tray tree truck trunk tube tunnel turbine type unit update
    user value valve vector vendor video view vine volume wall walker washer watch water weaver web weight
    wheel widget window wire wood wool worker young zinc zone
"""
CHOICES = {
    "word": WORDS,
    "level": "INFO WARN WARNING ERROR DEBUG FATAL TRACE NOTICE CRITICAL info warn",
    "done": "started stopped failed retried expired closed opened loaded saved dropped sent received refused",
    "unit": "kg g ml l mm cm m pcs GB MB V W kWh oz lb x %",
    "suffix": "py java c js go rs cpp log txt csv json xml yaml png tar.gz",
}
TEMPLATES = {
    "id": """
        {word}_{word} {word}.{word} {word}-{n} {word}{Word} {Word}{Word} {WORD}_{WORD} /{word}/{word}
        {word}/{word}.{suffix} {hex} 0x{hex} {AB}{n}-{n} {AB}{AB} #{n} {word}@{word} {word}:{word}
        v{n}.{n}.{n} <{word}> {word}() ${word}
    """,
    "date": "20{n2}-0{n1}-{n2} {n2}.0{n1}.20{n2} {n1}/{n2}/{n2}",
    "clock": "{n2}:{n2} {n2}:{n2}:{n2},{n}",
    "money": "${real} €{real} £{real} {real}",
    "thing": "{word} {word} {Word} {WORD} {word}~{word} {Word}~{word} {Word}~{Word} {WORD}~{WORD}",
    "cell": "{real} {real} {n} -{real} +{real}",
    "head": "{word} {id} {AB} {n}",
    "line": """
        {date}~{clock}~{level}~[{id}]~{word}~{id}~{done}~in~{n}~ms
        {date}~{clock}~{level}~{id}~-~{word}~{word}~{done}
        [{level}]~{id}:~{word}~{id}~{done}~({id})
        {date}T{clock}Z~{id}~{word}={n}~{word}={id}
        {level}~{id}:{n}~-~{word}~{done}:~code~{n}
        {word}[{n}]:~{word}~{id}~{done}~by~{id}
        {"level":~"{level}",~"{word}":~"{id}",~"{word}":~{n}}
        10.{n}.{n}.{n}~-~-~[{date}:{clock}]~"GET~{id}~HTTP/1.1"~{n}~{n}
        at~{id}.{word}({Word}.java:{n})
        {Word}{Word}Error:~{word}~{id}~{done}
        {word}~{word}~usage~{n2}%~({n}~{unit}~of~{n}~{unit})
        {thing},~{n}~{unit}⇥{money}
        {n}⇥{thing}⇥{n}⇥{real}
        {thing}~{n}~{unit}~{money}
        {thing}~{n}~{unit}~@~{money}
        Item~{n}:~{thing}~({word})~{money}
        {thing}~|~{n}~{unit}~|~{money}
        {n2}~x~{thing}~{money}
        SKU~{id}~{thing}~@~{money}
        {head}⇥{cell}⇥{cell}⇥{cell}⇥{cell}
        {cell}~{cell}~{cell}~{cell}~{cell}~{cell}
        {head},~{cell},~{cell},~{cell}
        {head}~|~{cell}~|~{cell}
        -rw-r--r--~1~{word}~{word}~{n}~{date}~{clock}~{id}.{suffix}
        {id}.{suffix}~|~{n}~++++----
        {word}~=~{id}
        {word}:~{n}
        --{word}~{id}~--{word}={n}
        {hex}{hex}~{id}.{suffix}
        export~{WORD}_{WORD}={id}
        S/N~{AB}-{n}-{AB}
        {AB}{AB}~{n}~{AB}
    """,
}
"""A space stands between templates, a name in braces for one of its templates."""
SPACES = str.maketrans({"~": " ", "⇥": "\t"})


class Machine:
    """Draws text."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def draw(self, name: str) -> str:
        """Something of that name; a word can be capitalised as its name is."""
        if name == "n":
            return str(self.random.randint(0, 10 ** self.random.randint(1, 5)))
        if name in ("n1", "n2"):
            return str(self.random.randint(1, 9) if name == "n1" else self.random.randint(10, 28))
        if name == "real":
            return f"{self.random.uniform(0, 10 ** self.random.randint(1, 5)):.{self.random.randint(1, 4)}f}"
        if name == "hex":
            return f"{self.random.getrandbits(32):08x}"
        if name == "AB":
            return "".join(self.random.choices("ABCDEFGHJKLMNPQRSTUVWXYZ", k=2))
        if name in ("Word", "WORD"):
            return self.draw("word").capitalize() if name == "Word" else self.draw("word").upper()
        if name in CHOICES:
            return self.random.choice(CHOICES[name].split())
        return self.filled(self.random.choice(TEMPLATES[name].split()))

    def filled(self, template: str) -> str:
        """A template with something in the place of each name."""
        return re.sub(r"\{(\w+)\}", lambda found: self.draw(found[1]), template.strip()).translate(SPACES)


def main() -> None:
    """Write the file, the same each time."""
    machine = Machine(Random(1))
    with Path(__file__).with_suffix(".jsonl").open("w", encoding="utf-8") as stream:
        for _ in range(LINES):
            stream.write(
                json.dumps({"text": machine.draw("line"), "mentions": []}, ensure_ascii=False) + "\n"
            )


if __name__ == "__main__":
    main()
