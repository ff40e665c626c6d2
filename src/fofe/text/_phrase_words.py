"""Word lists by which the head of an English noun phrase is found."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DETERMINERS = _words(
    "a an the this that these those some any no every each either neither both all half such what which "
    "whose my your his her its our their thy another other many few several most more enough certain"
)
NUMBERS = _words(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
ADVERBS = _words(
    "only quite so very too rather just even nearly almost about mainly mostly merely simply originally "
    "particularly especially formerly newly highly fully truly really exceedingly extremely"
)
"""What may stand before a determiner or an adjective, and is never a head."""
OPENERS = _words("a an the this these those my your his her its our their thy every each some no")
"""Determiners that begin a new phrase when they follow a noun."""
PREPOSITIONS = _words(
    "of in on at by for from with without to into onto upon over under between betwixt among amongst "
    "against about above below beneath behind beside besides beyond near through throughout toward "
    "towards during before after since until till within across along alongside around round off outside "
    "inside like unlike as than per via opposite amid amidst despite except regarding concerning "
    "including such aboard up down out"
)
CLAUSES = _words(
    "who whom whose which that where when why how because if whether while whereas though although i you "
    "he she it we they me him us them there not only is are was were be been being am 's 're 've 'd has "
    "have had do does did can could will would shall should may might must ought"
)
"""What begins a clause, or stands in one: pronouns and verbs."""
AFTER_PRONOUNS = _words("of who whom which from in at with for")
"""What may follow a phrase that is a determiner only: those who came, many of them."""
CONJUNCTIONS = _words("and or but nor & and/or yet plus")
MARKS = _words(", ; : . ! ? ( ) [ ] { } – — -- … / ... -LRB- -RRB-")
QUOTES = _words("\" ' ` `` '' “ ” ‘ ’ « »")
POSSESSIVES = _words("'s ’s ' ’")
TRAILING = _words(
    "itself himself herself themselves myself ourselves yourself yourselves alone too here there now then "
    "today yesterday tomorrow tonight ago away abroad again alike else already still ever once together "
    "apart forward able unable available familiar capable responsible eager full aware unaware worthy "
    "ready similar due close present proper concerned involved next possible long old"
)
"""Words that may stand behind the head."""
PARTICIPLES = _words(
    "made known written born held taken given called named left seen built bound sent found told kept "
    "brought worn drawn grown shown hidden sung thrown driven chosen set put led lost met paid sold spent "
    "worth gone done begun broken"
)
"""Those that end neither in -ed nor in -ing."""
NAMING = _words("named called titled entitled nicknamed aged born located situated")
"""Participles that always follow their noun, whatever comes after them."""
ING_NOUNS = _words(
    "being beings building wing king ring spring string thing something anything nothing everything "
    "evening morning meeting wedding sibling offspring darling ceiling opening landing crossing clearing "
    "dwelling gathering painting clothing lightning railing lodging housing parking banking shipping "
    "engineering nursing underling hireling foundling stripling weakling pudding setting surrounding "
    "surroundings ding"
)
"""Nouns that look like participles."""
ED_NOUNS = _words("bed seed weed feed need reed shed sled speed breed creed deed greed hundred kindred")
ADJECTIVES = _words(
    "good bad big small large great little old young new long short high low tall thin fat rich poor "
    "strong weak happy sad hot cold warm cool dark light bright black white red green blue brown yellow "
    "grey gray golden dear fine fair pretty beautiful ugly hard soft heavy easy early late first second "
    "third last next other same own main local national international public private social political "
    "economic legal medical military modern ancient former current recent major minor central north south "
    "east west northern southern eastern western upper lower middle human free full empty open clean "
    "dirty wise silly dead alive sick healthy wild quiet noisy quick slow rough smooth sharp dull deep "
    "shallow wide narrow broad loose tight gentle cruel kind brave proud noble honest simple single "
    "double whole various different similar special common rare strange foreign religious cultural "
    "natural physical financial industrial commercial federal rural urban royal male female lonely "
    "desperate separate domestic top chief senior junior primary secondary"
)
"""Frequent ones; others are known by their endings."""
ADJECTIVE_ENDINGS = (
    "ous",
    "ful",
    "ive",
    "less",
    "able",
    "ible",
    "ish",
    "ary",
    "ical",
    "al",
    "ic",
    "est",
    "ern",
)
