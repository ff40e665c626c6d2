"""Chinese sentences and tokens."""

import pytest

from fofe.text.tokenise import tokeniser

TOKENS = [
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


@pytest.mark.parametrize(("text", "expected"), TOKENS, ids=[text for text, _ in TOKENS])
def test_tokens(text: str, expected: str) -> None:
    assert [token.text for token in tokeniser("zh").document(text).tokens] == expected.split(" ")


SENTENCES = [
    "他来了。|她走了！|谁知道？|不知道；|算了",
    "他说：“好！”|然后走了。",
    "（完。）|「是的。」|『真的？！』|好",
    "“好！”，他说。|真的？！|是",
    "第一行|第二行|第三行",
    "Hello!|你好?|网址http://a.cn/?b!c没断",
    "等等……然后呢…没有",
]


@pytest.mark.parametrize("marked", SENTENCES)
@pytest.mark.parametrize("border", ["\n", "\r\n"])
def test_sentences(marked: str, border: str) -> None:
    """A bar stands for the line break between two sentences."""
    text = marked.replace("|", border)
    document = tokeniser("zh").document(text)
    assert [text[sentence.start : sentence.end] for sentence in document.sentences] == marked.split("|")


@pytest.mark.parametrize("marked", SENTENCES[:4])
def test_sentences_need_no_space_between_them(marked: str) -> None:
    text = marked.replace("|", "")
    document = tokeniser("zh").document(text)
    assert [text[sentence.start : sentence.end] for sentence in document.sentences] == marked.split("|")
