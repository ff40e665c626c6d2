"""Sentences and tokens of English (as in CoNLL or the Penn Treebank), Spanish and Chinese text."""

import pytest

from fofe.text.tokenise import tokeniser

# Expected tokens are written with a space between them.
EN_TOKENS = [
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
ES_TOKENS = [
    ("¿Quién es? ¡Nadie!", "¿ Quién es ? ¡ Nadie !"),
    ("El Sr. García fue al Congreso de los EE.UU.", "El Sr. García fue al Congreso de los EE.UU."),
    ("«Hola», dijo la Sra. Núñez del Río.", "« Hola » , dijo la Sra. Núñez del Río ."),
    ("Muchos países, p. ej. EE. UU., firmaron.", "Muchos países , p. ej. EE. UU. , firmaron ."),
    ("Telefónica S.A. subió un 5,5% (1.234,50 €).", "Telefónica S.A. subió un 5,5 % ( 1.234,50 € ) ."),
    ("Vive en la Avda. de América, núm. 5, 1.º B.", "Vive en la Avda. de América , núm. 5 , 1.º B ."),
    ("Madrid, 23 may (EFE).- El PSOE-Progresistas", "Madrid , 23 may ( EFE ) . - El PSOE-Progresistas"),
    ("L'Hospitalet, O'Higgins y McDonald's", "L'Hospitalet , O'Higgins y McDonald's"),
    ("A las 20.00 h. en los JJ.OO. del '92", "A las 20.00 h. en los JJ.OO. del '92"),
    ("Ganó por 6-3, 7-5 a 120 km/h.", "Ganó por 6-3 , 7-5 a 120 km/h ."),
    ("Peras, manzanas, etc.", "Peras , manzanas , etc ."),
    ("Espan\u0303a y Me\u0301xico", "Espan\u0303a y Me\u0301xico"),
]
ZH_TOKENS = [
    ("习近平访问了北京大学。", "习 近 平 访 问 了 北 京 大 学 。"),
    ("2020年3月5日，iPhone 12发布", "2020 年 3 月 5 日 ， iPhone 12 发 布"),
    ("增长5.5%，GDP为14.3万亿", "增 长 5.5% ， GDP 为 14.3 万 亿"),
    ("卡尔·马克思（Karl Marx）", "卡 尔 · 马 克 思 （ Karl Marx ）"),
    ("《红楼梦》……很好——真的", "《 红 楼 梦 》 …… 很 好 —— 真 的"),
    ("看http://t.cn/abc?x=1你好", "看 http://t.cn/abc?x=1 你 好"),
    ("邮箱a.b@c.cn，@小明 F-16战机😂👍🏽", "邮 箱 a.b@c.cn ， @ 小 明 F-16 战 机 😂 👍🏽"),
    ("ＡＢＣ１２３和𠮷野家", "ＡＢＣ１２３ 和 𠮷 野 家"),
    ("葛\U000e0100城か\u3099", "葛\U000e0100 城 か\u3099"),
]
TOKENS = [
    (language, text, expected)
    for language, examples in (("en", EN_TOKENS), ("es", ES_TOKENS), ("zh", ZH_TOKENS))
    for text, expected in examples
]


@pytest.mark.parametrize(("language", "text", "expected"), TOKENS, ids=[text for _, text, _ in TOKENS])
def test_tokens(language: str, text: str, expected: str) -> None:
    assert [token.text for token in tokeniser(language).document(text).tokens] == expected.split(" ")


EN_SENTENCES = [
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
ES_SENTENCES = [
    "¿Qué hizo el Dr. Pérez?|¡Nada!|«Me voy», dijo.",
    "Vive en EE.UU.|El resto, en la C. Valenciana.",
    "Compró peras, etc.|Juan no.|Llegó D. Juan Carlos.",
    "Trabaja en Repsol S.A.|La empresa creció.|«Bien».|Fin",
    "Nació en 1950.|3 hijos tuvo.|¿Y tú?",
    "Véase p. ej. Pág. 5 y art. 3 de la ley.|Así es.",
]
ZH_SENTENCES = [
    "他来了。|她走了！|谁知道？|不知道；|算了",
    "他说：“好！”|然后走了。",
    "（完。）|「是的。」|『真的？！』|好",
    "“好！”，他说。|真的？！|是",
    "第一行|第二行|第三行",
    "Hello!|你好?|网址http://a.cn/?b!c没断",
    "等等……然后呢…没有",
]
SENTENCES = [
    (language, marked, border)
    for language, examples, borders in (
        ("en", EN_SENTENCES, [" "]),
        ("es", ES_SENTENCES, [" "]),
        ("zh", ZH_SENTENCES, ["\n", "\r\n"]),
        ("zh", ZH_SENTENCES[:4], [""]),
    )
    for marked in examples
    for border in borders
]


@pytest.mark.parametrize(("language", "marked", "border"), SENTENCES)
def test_sentences(language: str, marked: str, border: str) -> None:
    """A bar stands for the border of two sentences: a space, in Chinese a line break or nothing."""
    text = marked.replace("|", border)
    document = tokeniser(language).document(text)
    assert [text[sentence.start : sentence.end] for sentence in document.sentences] == marked.split("|")


LINES = [
    "From: Omar Haddad|To: Grace Otieno|Subject: Visit to Nairobi",
    "Best regards|Omar Haddad|Bergen Shipping|Lima",
    "- Leeds|- Lima\tPeru|PRESIDENT VISITS THE CAPITAL OF FRANCE|Leeds beat the team of Bergen by 2 to 1",
    "I will arrive in Nairobi on Monday and stay until the end\n"
    "of the week in the house of my friend and colleague Grace\nOtieno.|Please write to her",
    "The last words of this line are the name of the mayor, Anna\nBerg",
    "The head of Acme Corp, Robert\nJones, will be in Chicago next Tuesday.|Can you book\nthe hotel?",
    "Dear Grace,|Thank you for the invitation",
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", " \n "])
@pytest.mark.parametrize("marked", LINES)
def test_a_line_ends_a_sentence_unless_it_is_wrapped(marked: str, newline: str) -> None:
    """A bar stands for a line break that ends a sentence."""
    text = "An earlier paragraph.\n\n" + marked.replace("\n", "|").replace("|", newline)
    _, *sentences = tokeniser("en").document(text).sentences
    found = [text[sentence.start : sentence.end].split() for sentence in sentences]
    assert found == [part.split() for part in marked.split("|")]


def test_a_single_line_break_is_a_space_and_a_blank_line_ends_a_sentence() -> None:
    for newline in ("\n", "\r\n", "\r"):
        text = f"A headline{newline} {newline}The first{newline}sentence of{newline}{newline}"
        sentences = tokeniser("en").document(text).sentences
        words = [["A", "headline"], ["The", "first", "sentence", "of"]]
        assert [sentence.words for sentence in sentences] == words


def test_offsets_of_contractions() -> None:
    tokens = list(tokeniser("en").document("We can't.").tokens)
    assert tokens == [("We", 0, 2), ("ca", 3, 5), ("n't", 5, 8), (".", 8, 9)]
