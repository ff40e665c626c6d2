"""English sentences and the tokens that a corpus in the style of CoNLL or the Penn Treebank has for them."""

import pytest

from fofe.text.tokenise import tokeniser


def words(text: str) -> list[list[str]]:
    return [sentence.words for sentence in tokeniser("en").document(text).sentences]


# Expected tokens are written with a space between them; a new line is a new sentence.
TOKENS = [
    (
        "S.E.C. chief Mary Shapiro left Washington in December.",
        "S.E.C. chief Mary Shapiro left Washington in December .",
    ),
    (
        "Mark and his closest friend Scarlet, a cello player, joined the same company.",
        "Mark and his closest friend Scarlet , a cello player , joined the same company .",
    ),
    ("He used to study in University of Toronto.", "He used to study in University of Toronto ."),
    ("I don't think they've seen Anna's.", "I do n't think they 've seen Anna 's ."),
    ("You can't; we won’t; SHE ISN'T; he'd've.", "You ca n't ; we wo n’t ; SHE IS N'T ; he 'd 've ."),
    ("I cannot say I'm sure it's theirs.", "I cannot say I 'm sure it 's theirs ."),
    ("O'Brien met the Shi'ite envoy at 5 o'clock.", "O'Brien met the Shi'ite envoy at 5 o'clock ."),
    ("The players' union, James' too.", "The players ' union , James ' too ."),
    ("It was the '90s; rock 'n' roll, 'em all.", "It was the '90s ; rock 'n' roll , 'em all ."),
    ("The U.S.-led force left the U.S.", "The U.S.-led force left the U.S."),
    ("Mr. and Mrs. Smith of St. Louis, Mo.-based.", "Mr. and Mrs. Smith of St. Louis , Mo.-based ."),
    ("J. K. Rowling, J.R.R. Tolkien and J.-P. Sartre", "J. K. Rowling , J.R.R. Tolkien and J.-P. Sartre"),
    ("J.Smith and J.J.Lehto, Ph.D.", "J. Smith and J.J. Lehto , Ph.D."),
    ("Apple Inc. sued Acme Corp.", "Apple Inc. sued Acme Corp ."),
    ("INTERPLAY INC. wins in ST. LOUIS", "INTERPLAY INC. wins in ST. LOUIS"),
    ("Apples, pears, etc. are No. 1, see Fig. 3.", "Apples , pears , etc. are No. 1 , see Fig. 3 ."),
    ("A 26-year-old all-rounder, 6,739-yard par-71.", "A 26-year-old all-rounder , 6,739-yard par-71 ."),
    ("LONDON 1996-12-06 at 10:30 a.m., 11/1/96", "LONDON 1996-12-06 at 10:30 a.m. , 11/1/96"),
    ("4:08.22, 5,778.00 and 3-1/2; .556 -5 +44", "4:08.22 , 5,778.00 and 3-1/2 ; .556 -5 +44"),
    ("It cost $5.50, US$6, £1.2m or 5% (C$7).", "It cost $ 5.50 , US$ 6 , £ 1.2m or 5 % ( C$ 7 ) ."),
    ("He was born in 1996.", "He was born in 1996 ."),
    ("See https://x.org/a_b?c=d&e=f.", "See https://x.org/a_b?c=d&e=f ."),
    ("(http://x.org/), www.x.co.uk, Amazon.com", "( http://x.org/ ) , www.x.co.uk , Amazon.com"),
    ("Mail j.doe+x@mail.example.org, please.", "Mail j.doe+x@mail.example.org , please ."),
    ("@jane_doe: #NowPlaying #1 AT&T &amp; R&D", "@jane_doe : #NowPlaying #1 AT&T &amp; R&D"),
    ("Well... yes -- no… maybe?! Right :)", "Well ... yes -- no … maybe ?! Right :)"),
    ("\"Go,\" she said, 'now.'", "\" Go , \" she said , ' now . '"),
    ("“Go,” he said—‘now’ [sic]", "“ Go , ” he said — ‘ now ’ [ sic ]"),
    ("😂👍🏽👩‍👩‍👧🇨🇦🇺🇸 ❤️‍🔥 1️⃣", "😂 👍🏽 👩‍👩‍👧 🇨🇦 🇺🇸 ❤️‍🔥 1️⃣"),
    ("km/h and/or I/O, Reuters/Ipsos, 1996/97", "km/h and/or I/O , Reuters / Ipsos , 1996/97"),
    ("C++ or C# in snake_case", "C++ or C# in snake_case"),
    ("It fell.The next", "It fell . The next"),
    ("cafe\u0301 Zu\u0308rich na\u00efve", "cafe\u0301 Zu\u0308rich na\u00efve"),
    ("Beijing (北京) grew", "Beijing ( 北 京 ) grew"),
    ("\ufeffJohn\u200b Smith", "\ufeff John \u200b Smith"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TOKENS, ids=[text for text, _ in TOKENS])
def test_tokens(text: str, expected: str) -> None:
    assert [word for sentence in words(text) for word in sentence] == expected.split(" ")


SENTENCES = [
    "He joined Apple Inc.|He left in Dec. 1996.",
    "They met J. Smith.|Dr. No met Gen. Lee.",
    '"Why?" he asked.|"Go!"|She left.',
    "It was 5 p.m. Monday in the U.S. Senate.|The U.S.|The end.",
    "She is taller than I.|He is not.",
    "No.|He saw No. 5.|Then No. 6.",
    "See Jones et al. 1999 (e.g. Smith).|The rest follows ...|That is all.",
    "1. First item.|2. Second item.",
    "One line\nof wrapped text.|The next line\ngoes on",
    "He paid $5.5 million.|3.5 percent is much.",
    "Really?!|Yes.|(He nodded.)|[Then he left.]",
    "What a day!|“Indeed,” he said.",
    "He said . . . nothing. eBay did.|That was all.",
    "Mary likes fish, etc.|Paul likes cake, etc. and tea.",
    "He said—Mr. Smith did.|Ω is last.",
]  # fmt: skip


@pytest.mark.parametrize("marked", SENTENCES)
def test_sentences(marked: str) -> None:
    """A bar stands for the space between two sentences."""
    text = marked.replace("|", " ")
    document = tokeniser("en").document(text)
    assert [text[sentence.start : sentence.end] for sentence in document.sentences] == marked.split("|")


def test_a_single_line_break_is_a_space_and_a_blank_line_ends_a_sentence() -> None:
    for newline in ("\n", "\r\n", "\r"):
        text = f"A headline{newline} {newline}The first{newline}sentence of{newline}{newline}"
        assert words(text) == [["A", "headline"], ["The", "first", "sentence", "of"]]


def test_offsets_of_contractions() -> None:
    tokens = list(tokeniser("en").document("We can't.").tokens)
    assert tokens == [("We", 0, 2), ("ca", 3, 5), ("n't", 5, 8), (".", 8, 9)]
