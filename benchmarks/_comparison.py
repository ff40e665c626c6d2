"""The table of README.md that compares fofe with other taggers."""

from __future__ import annotations

from _shown import latest
from _tables import Table

HEADER = (
    *("", "names in unseen text, F1", "CoNLL-2003, F1", "tokens per CPU second", "install"),
    *("nested", "nominals", "partial labels", "licence of the model"),
)
NOTE = (
    "fofe and spaCy were measured here, on one thread: mean F1 of PER, ORG and places over three "
    "corpora that neither was trained on (`benchmarks/abroad.py`: tweets, news and encyclopaedia, "
    "defence reports; fofe has learned from other text of the first two kinds). Installs are the packages "
    "and all they need, without the files that Python compiles later. (p) as published: Flair "
    "`ner-english` on the corrected CoNLL-2003; GLiNER-L without training, the mean of seven data sets "
    "with types of their own, which is another task. (t) one model of CoNLL-2003 alone "
    "(`configs/default.toml`); `en-news`, which has also learned from other text, has {shipped}."
)


def comparison_table() -> str:
    """The table as Markdown, or nothing while its figures are not recorded."""
    abroad, install, models = latest("abroad"), latest("install"), latest("models")
    conll2003 = latest("conll2003")
    if not (abroad and install and models and conll2003):
        return ""
    rows = [
        [
            *("**fofe** `en`", f"{abroad['en_mean_f1']:.1f}", f"{conll2003['test_f1']:.1f} (t)"),
            *(_thousands(abroad["en_tokens_per_cpu_s"]), f"{install['en_install_mb']:.0f} MB"),
            *("yes", "yes", "yes", "CC BY-SA 4.0"),
        ],
        [
            *("spaCy `en_core_web_md` 3.7.1", f"{abroad['spacy_mean_f1']:.1f}", ""),
            *(_thousands(abroad["spacy_tokens_per_cpu_s"]), f"{install['spacy_install_mb']:.0f} MB"),
            *("no", "no", "in part", "MIT"),
        ],
        ["Flair `ner-english`", "", "93.1 (p)", "", "432 MB (p) + PyTorch", "no", "no", "no", "MIT"],
        [
            "GLiNER-L",
            "60.9 on other types (p)",
            "",
            "",
            "PyTorch",
            "yes",
            "no",
            "needs no labels",
            "see its card",
        ],
    ]
    note = NOTE.format(shipped=f"{models['en_news_f1_conll2003']:.1f}")
    return Table(HEADER, rows, texts=(0, *range(4, len(HEADER))), notes=[note]).markdown()


def _thousands(value: float) -> str:
    return f"{round(value, -2):,.0f}"
