"""Write train.jsonl and dev.jsonl: sentences about cooking, always the same.

    python examples/kitchen/make.py [DIR]

A sentence comes from a template and a dish; its ingredients are such as go into that dish. Some dishes, their
ingredients and some templates stand in dev.jsonl alone. In a dish `<mushroom> risotto` the marked word is an
ingredient inside the mention.
"""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path

SENTENCES = {"train": 200, "dev": 60}

# dish | ingredients in the plural | ingredients without one
DISHES = """\
<lentil> soup | carrots, onions, red lentils | cumin, garlic, vegetable stock
<mushroom> risotto | chestnut mushrooms, shallots | arborio rice, parmesan, white wine
<fish> pie | leeks, potatoes, prawns | smoked haddock, butter, double cream
<chicken> curry | chicken thighs, onions, green chillies | coconut milk, turmeric, ginger
<apple> crumble | cooking apples, rolled oats | brown sugar, butter, cinnamon
<beef> stew | carrots, bay leaves, button mushrooms | stewing beef, red wine, thyme
<onion> tart | onions, eggs | shortcrust pastry, nutmeg, cream
<tomato> salad | ripe tomatoes, black olives, capers | olive oil, basil, red onion
paella | mussels, peas, red peppers | saffron, short-grain rice, smoked paprika
moussaka | aubergines, potatoes | minced lamb, cinnamon, feta
shakshuka | eggs, peppers, plum tomatoes | cumin, paprika, coriander
carbonara | egg yolks, peas | spaghetti, pecorino, black pepper
pad thai | rice noodles, peanuts, bean sprouts | tamarind paste, fish sauce, palm sugar
guacamole | avocados, limes | coriander, red onion, salt
hummus | chickpeas, lemons | tahini, garlic, olive oil
ratatouille | courgettes, aubergines, tomatoes | olive oil, thyme, garlic
<pumpkin> soup | pumpkin seeds, shallots | pumpkin, nutmeg, vegetable stock
<leek> quiche | leeks, eggs | shortcrust pastry, gruyère, cream
<chocolate> mousse | eggs, hazelnuts | dark chocolate, caster sugar, whipped cream
<lemon> drizzle cake | lemons, eggs | flour, butter, icing sugar
<carrot> cake | carrots, walnuts, raisins | cream cheese, cinnamon, flour
<cheese> soufflé | eggs, chives | cheddar, butter, mustard
<lamb> tagine | dried apricots, almonds, onions | lamb shoulder, cinnamon, honey
<rice> pudding | raisins, pistachios | pudding rice, milk, vanilla
tabbouleh | spring onions, tomatoes | bulgur wheat, parsley, mint
gazpacho | cucumbers, ripe tomatoes, peppers | sherry vinegar, stale bread, garlic
borscht | beetroots, carrots, bay leaves | sour cream, dill, beef stock
pesto | pine nuts, basil leaves | rocket, parmesan, olive oil
coleslaw | carrots, apples | white cabbage, mayonnaise, mustard
ramen | noodles, spring onions, eggs | pork belly, miso paste, soy sauce
lasagne | bay leaves, tomatoes | minced beef, mozzarella, nutmeg
tiramisu | sponge fingers, eggs | mascarpone, coffee, cocoa powder
"""

DEV_DISHES = """\
<spinach> curry | chickpeas, onions | spinach, garam masala, yoghurt
<pear> tart | pears, flaked almonds | puff pastry, honey, butter
<bean> stew | white beans, carrots, leeks | rosemary, chorizo, garlic
kedgeree | eggs, peas | smoked haddock, basmati rice, curry powder
<potato> salad | waxy potatoes, gherkins, chives | mayonnaise, mustard, vinegar
minestrone | borlotti beans, courgettes | pasta, parmesan, pancetta
<plum> cake | plums, eggs | flour, cinnamon, brown sugar
falafel | chickpeas, sesame seeds | parsley, cumin, coriander
"""

TOOLS = {
    "pan": "cast-iron pan, heavy saucepan, wok, casserole dish, stockpot, mixing bowl",
    "spoon": "wooden spoon, whisk, slotted spoon, spatula, ladle, palette knife",
    "gadget": "food processor, mandoline, grater, potato peeler, stick blender, sieve, pestle and mortar",
}
DEV_TOOLS = {
    "pan": "pressure cooker, heavy saucepan, wok",
    "spoon": "pastry brush, wooden spoon, whisk",
    "gadget": "kitchen scale, colander, food processor",
}

PEOPLE = """my grandmother, the new chef, Ines, our neighbour, Mr Okafor, the baker's daughter, my brother,
Lucía, the waiter, Aunt Hilde, the student upstairs, Tomasz"""

# {dish}, {many}, {some}: a dish and its ingredients; {pan}, {spoon}, {gadget}: tools; {a pan}: with a or an.
TEMPLATES = """\
For the {dish} you need {many} and a little {some}.
{who} always puts {some} in the {dish}.
Put the {many} and the {some} into {a pan}.
Stir the {some} in with {a spoon} until nothing sticks.
We had {dish} again on Tuesday, and nobody complained.
Is there any {some} left, or did it all go into the {dish}?
The secret of a good {dish} is {some}.
{who} says that {dish} without {some} is not worth eating.
A handful of {many} is enough for four people.
Wash the {spoon} at once, or the {some} will dry on it.
I bought {many}, {many} and some {some} at the market.
Let the {dish} rest for ten minutes before you serve it.
If there is no {some}, take {some}: the {dish} will only taste different.
The {dish} at the station café came with {many} on top.
Warm the {pan} first, then add the {some}.
{who} ruined the {dish} with too much {some}.
Instead of {some}, the recipe asks for {some}.
Serve the {dish} with {many} on the side.
A little more {some} would do this {dish} good.
Get the {many} ready while the {pan} warms up.
Last winter {who} made {dish} for sixty people.
There were {many} all over the floor, and the {spoon} was nowhere to be found.
The children picked the {many} out of their {dish}.
She keeps the {some} in a jar beside the {gadget}.
{who} had never tasted {dish} before moving here.
Too much {some} spoils the {dish}.
Her {dish} won a prize at the fair, though she had run out of {some}.
The {many} go in last, with the {some}.
You do not need {a gadget} for {dish}; a knife will do.
On Fridays the canteen serves {dish} or {dish}.
He weighs the {some} to the gram and still forgets the {many}.
The {dish} needs another five minutes and some more {some}.
I would rather have {dish} than another sandwich.
Mix the {some} with the {many} and leave them overnight.
Without {a gadget} the {dish} takes twice as long.
The price of {some} has doubled since spring.
{who} gave me {a gadget} and told me to start with the {many}.
Is there {some} in this, or only {many}?
The shop on the corner sells {some} but no {many}.
The {dish} was cold, there were no {many} in it, and the bill was long.
"""

DEV_TEMPLATES = """\
{who} brought {dish} and a bowl of {many}.
Scrape the {some} out of the {pan}.
The {many} should be ready before the {some} goes in.
Nobody makes {dish} like {who} does, with so much {some}.
My {dish} never looks like the picture.
"""

WITHOUT = """\
The oven was still warm when we came home.
Nobody wanted to wash up after the party.
It takes about forty minutes, depending on the season.
The market opens at six and closes before noon.
She wrote the recipe on the back of an envelope.
Keep the window open, or the alarm will go off.
We ate on the balcony until it got dark.
The second batch turned out much better than the first.
My brother hates cooking but loves eating.
The waiter asked twice whether everything was all right.
Turn it over when the edges are brown.
There is a power cut every other evening in our street.
"""

SLOT = re.compile(r"\{(a )?(\w+)\}")
LABELS = {"dish": "DISH", "many": "INGREDIENT", "some": "INGREDIENT", **dict.fromkeys(TOOLS, "TOOL")}


class Kitchen:
    """What sentences are made of, drawn so that everything comes up about equally often."""

    def __init__(self, part: str) -> None:
        dev = part == "dev"
        self._draw = random.Random(part)
        rows = ([*DEV_DISHES.splitlines()] * 3 if dev else []) + DISHES.splitlines()
        self._dishes = [tuple(cell.split(", ") for cell in row.split(" | ")) for row in rows]
        self._lists = {name: _listed(items) for name, items in (DEV_TOOLS if dev else TOOLS).items()}
        self._lists["who"] = _listed(PEOPLE)
        templates = TEMPLATES.splitlines() + (DEV_TEMPLATES.splitlines() * 3 if dev else [])
        self._templates = templates + WITHOUT.splitlines()[6 if dev else 0 : 12 if dev else 6]
        self._waiting: dict[str, list[object]] = {}

    def sentence(self) -> dict[str, object]:
        """A text and its mentions."""
        template = str(self._next("template", self._templates))
        dish: list[list[str]] = self._next("dish", self._dishes)  # type: ignore[assignment]
        other: list[list[str]] = self._next("dish", self._dishes)  # type: ignore[assignment]
        used: set[str] = set()
        text, mentions, position = "", [], 0
        for slot in SLOT.finditer(template):
            text += template[position : slot.start()]
            position = slot.end()
            words = self._words(slot[2], other if "dish" in used and slot[2] == "dish" else dish, used)
            plain = words.replace("<", "").replace(">", "")
            if slot[1]:
                text += "an " if plain[0] in "aeiou" else "a "
            start = len(text)
            text += plain
            if slot[2] in LABELS:
                mentions.append({"start": start, "end": len(text), "type": LABELS[slot[2]]})
            if "<" in words:
                mentions.append({"start": start, "end": start + words.index(">") - 1, "type": "INGREDIENT"})
            used |= {slot[2], words}
        text += template[position:]
        return {"text": text[0].upper() + text[1:], "mentions": mentions}

    def _words(self, slot: str, dish: list[list[str]], used: set[str]) -> str:
        if slot in self._lists:
            return str(self._next(slot, self._lists[slot]))
        choices = dish[["dish", "many", "some"].index(slot)]
        fresh = [choice for choice in choices if choice not in used]
        return self._draw.choice(fresh or choices)

    def _next(self, kind: str, everything: list[object] | list[str]) -> object:
        """The next of a shuffled list that begins anew when it is used up."""
        if not self._waiting.get(kind):
            self._waiting[kind] = self._draw.sample(everything, len(everything))
        return self._waiting[kind].pop()


def _listed(text: str) -> list[str]:
    return [item.strip() for item in text.replace("\n", " ").split(",")]


def main(folder: Path) -> None:
    """Write both files; no sentence stands twice."""
    seen: set[str] = set()
    for part, number in SENTENCES.items():
        kitchen = Kitchen(part)
        lines: list[str] = []
        while len(lines) < number:
            sentence = kitchen.sentence()
            if sentence["text"] not in seen:
                seen.add(str(sentence["text"]))
                row = {"id": f"{part}-{len(lines) + 1:03}", **sentence}
                lines.append(json.dumps(row, ensure_ascii=False) + "\n")
        (folder / f"{part}.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
