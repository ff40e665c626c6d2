"""What the benchmarks measure, in the order of the report, and what others have published."""

from __future__ import annotations

from typing import NamedTuple


class Topic(NamedTuple):
    """A benchmark by its name in the record, and what it measures."""

    benchmark: str
    caption: str
    option: str = ""
    """The caption is for commands with this option; without one, for all other commands of the benchmark."""


class Glance(NamedTuple):
    """A line of the table that the report begins with."""

    task: str
    benchmark: str
    metric: str
    published: str = ""


GLANCES = (
    Glance(
        "CoNLL-2003, English names, one model",
        "conll2003",
        "test_f1",
        "90.71 (the paper), 90.94 (Lample et al.), 91.21 (Ma and Hovy), 91.62 (Chiu and Nichols)",
    ),
    Glance("CoNLL-2003, models fused", "best", "test_f1_fused"),
    Glance("CoNLL-2002, Spanish names", "conll2002_es", "test_f1", "85.75 (Lample et al.)"),
    Glance("the same, one model distilled from three", "conll2002_es_taught", "test_f1"),
    Glance("the same, models fused", "conll2002_es_fused", "test_f1"),
    Glance("Weibo, Chinese names and nominals, distilled", "weibo", "test_overall_f1", "58 to 63"),
    Glance("the same, models fused", "weibo_fused", "test_overall_f1"),
    Glance("UNER, Chinese names", "uner_zh", "test_f1"),
    Glance("the same, taught by a BERT", "uner_zh_distilled", "test_f1"),
    Glance("GENIA, nested", "genia", "test_f1", "about 71 (FOFE), 74.7 (layered BiLSTM-CRFs)"),
    Glance("LitBank, names and nominals, nested", "litbank", "test_overall_f1"),
    Glance("GUM (dev), names and nominals, nested", "gum", "dev_overall_f1"),
    Glance("CoNLL-2003, half of the training mentions missing", "partial", "f1_at_50"),
    Glance("spaCy's ner from the same files", "partial", "spacy_f1_at_50"),
)
"""F1 in percent, and published results without language models."""

SECTIONS: dict[str, tuple[Topic, ...]] = {
    "The paper's experiments": (
        Topic("table1", "What each feature is worth: the paper's Table 1, with configs/paper.toml."),
        Topic("table1_seen", "The same with word vectors that have seen the text, as the paper's had."),
        Topic("steps", "What each part of the recipe of the paper's authors is worth."),
        Topic("table3", "What more training data is worth: the paper's Table 4."),
        Topic(
            "trilingual",
            "Names and nominals in three languages: the paper's Tables 3 and 5. With `--fast` the networks "
            "are narrower and the epochs fewer than in the configurations of these corpora. Full networks "
            "were first fused with the CRF at equal weights, at a loss; seeds and learned weights were then "
            "chosen by cross-validation over the dev documents.",
        ),
        Topic(
            "ablations",
            "Dev F1 of a compact model when one setting is changed at a time, after 6 epochs. So few favour "
            "what learns fast: more fragments in an epoch are more steps, and less dropout is less noise.",
        ),
    ),
    "CoNLL-2003": (
        Topic("conll2003", "configs/default.toml, the most accurate configuration."),
        Topic("conll2003_paper", "configs/paper.toml: the paper's features and settings, nothing added."),
        Topic(
            "conll2003_paper_seen",
            "The same with word vectors that have seen the text of the test set, as the paper's had.",
        ),
        Topic(
            "conll2003_teacher", "configs/teacher.toml: two character language models beneath the detector."
        ),
        Topic("distilled", "Small models that learned from such teachers, over plain text."),
        Topic("conll2003_compact", "configs/compact.toml, for speed."),
        Topic("conll2003_speed", "configs/speed.toml, the model whose speed is measured below."),
        Topic("best", "Models of several seeds fused, in the way that the dev set chose."),
        Topic("strategies", "Ways to resolve overlaps, on the dev set."),
        Topic("calibration", "The expected calibration error on the test set, in percent."),
    ),
    "Spanish and Chinese": (
        Topic("conll2002_es", "CoNLL-2002, Spanish. A BiLSTM-CRF (Lample et al., 2016) has reached 85.75."),
        Topic(
            "conll2002_es_taught",
            "Single models, trained on the soft targets of the models above as well.",
        ),
        Topic(
            "conll2002_es_fused",
            "Models of several seeds, averaged; one figure per ensemble where there are several.",
        ),
        Topic(
            "weibo",
            "Chinese microblogs: single models, each trained on the soft targets of five others. Published "
            "results without language models range from 52 to 56 for names, 62 to 68 for nominals and 58 to "
            "63 overall.",
            "--teachers 5",
        ),
        Topic("weibo", "Chinese microblogs: single models without teachers, trained on the labels alone."),
        Topic(
            "weibo_fused",
            "Models without teachers, averaged; one figure per ensemble where there are several.",
        ),
        Topic("weibo_teacher", "Chinese microblogs: models with a Chinese BERT beneath the detector."),
        Topic(
            "weibo_distilled",
            "Small models that learned from those, with vectors joined with an encoder's.",
        ),
        Topic("uner_zh", "Universal NER, Chinese GSD."),
        Topic("uner_zh_teacher", "The same with a Chinese BERT beneath the detector."),
        Topic(
            "uner_zh_distilled",
            "Small models that learned from those, with vectors joined with an encoder's.",
        ),
        Topic("language", "How often `--lang auto` recognises the language of a sentence, in percent."),
    ),
    "Names and nominals, nested": (
        Topic("litbank", "Fiction: six types, names and nominals as whole phrases."),
        Topic(
            "gum",
            "Many genres: three types, names and nominals as whole phrases. GUM has no test set here: all "
            "figures are of the dev set on which epoch, threshold and strategy were chosen.",
        ),
        Topic(
            "genia",
            "Biomedical abstracts, five classes. Published without language models: about 71 for FOFE, 74.7 "
            "for layered BiLSTM-CRFs with biomedical vectors; the copy used here has lost mentions inside "
            "mentions of their own type.",
        ),
        Topic("litbank_encoder", "LitBank with two character language models beneath the detector."),
        Topic("gum_encoder", "GUM with these language models."),
        Topic("genia_encoder", "GENIA with these language models."),
        Topic(
            "joint", "One model from three corpora: its F1 on each less that of a model of that corpus alone."
        ),
        Topic("heads", "How often the rule for heads of nominals is right."),
        Topic(
            "redaction",
            "Contact data of ten countries in generated letters: the share that is covered, in percent, and "
            "how many numbers with a wrong check digit are taken for cards.",
        ),
        Topic("sentences", "The shipped English model on sentences written for the purpose."),
        Topic("case", "The shipped English models on text as it is, in lower case and in capitals."),
    ),
    "Less than full annotation": (
        Topic("partial", "Test F1 when a share of the training mentions is missing, in percent."),
        Topic(
            "suggest",
            "Dev F1 of the tutorial's types from 50 sentences: 40 of them chosen by `fofe suggest`, or drawn "
            "at random, from a pool that is mostly about other things.",
        ),
        Topic("weak", "A tenth of the training sentences, without and with labels from links of Wikipedia."),
    ),
    "Vectors and gazetteers": (
        Topic("vectors", "Word vectors that start at random, or trained by `fofe vectors`."),
        Topic(
            "gazetteer", "Without a gazetteer, with titles of Wikipedia, and with names of the training text."
        ),
        Topic("gazetteer_cost", "Looking up fragments among a million names."),
    ),
    "Speed and scale": (
        Topic("speed", "Tagging on one thread, beside spaCy, a CRF and this model without its shortcuts."),
        Topic("serve", "What a server costs over tagging in bulk."),
        Topic("spark", "Tagging and labelling with one and two cores."),
        Topic("ddp", "How far training by two processes is from training by one."),
        Topic("profile_training", "The share of matrix products in the time of training."),
        Topic(
            "finetune",
            "What F1 the shipped model loses on its own test sets when it learns the tutorial's types from "
            "200 sentences (and from 50), and the dev F1 of these types.",
        ),
        Topic(
            "models",
            "The shipped models on their test sets, as whole documents and sentence by sentence; tokens per "
            "CPU second on one thread.",
        ),
        Topic(
            "soak",
            "Hours of damaged files, kills, full disks and rude clients at once: tracebacks, lost files and "
            "answers, and memory.",
        ),
        Topic("house", "The code base: its size, its tests, and its speed over that of an earlier commit."),
    ),
}
