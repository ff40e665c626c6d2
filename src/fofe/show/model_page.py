"""A report on a model as one self-contained page: its learning curves and its results on a corpus."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from fofe.base.errors import InputError
from fofe.base.files import read_text
from fofe.evaluate.calibration import reliability
from fofe.evaluate.errors import ERROR_KINDS, MentionError, examples, find_errors
from fofe.evaluate.scores import score_documents, spans_of
from fofe.evaluate.tables import score_row, shown
from fofe.evaluate.thresholds import decoded_curve, score_fragments
from fofe.model.facts import model_facts
from fofe.show.svg import axis, line_chart, reliability_diagram
from fofe.tagging.model import Model
from fofe.text.document import Document
from fofe.text.html import PAGE_END, marked_up, page_head

METRICS = "metrics.jsonl"
NOTHING = "nothing"
STYLE = Path(__file__).with_suffix(".css")
RATES = ("precision", "recall", "F1")
THRESHOLDS = tuple(step / 20 for step in range(1, 20))


def report_page(
    model: Model, both: Sequence[list[Document]] | None, *, name: str, examples_of_each: int
) -> str:
    """The page of a model that was loaded; `both` are an annotated corpus and what the model finds there."""
    assert model.path is not None, "a loaded model has a path"
    style = f"<style>\n{STYLE.read_text('utf-8')}</style>\n"
    parts = [page_head(f"Report on {name}"), style, f"<h1>{escape(name)}</h1>\n", _facts(model.path)]
    parts += _learning(model.path)
    if both is not None:
        corpus, found = both
        errors = find_errors(corpus, found)
        parts += [_scores(corpus, found), *_curves(model, corpus), _confusion(corpus, found, errors)]
        parts += _errors(corpus, found, errors, examples_of_each)
    return "".join([*parts, PAGE_END])


def _facts(path: Path) -> str:
    facts = model_facts(path).items()
    texts = {name: ", ".join(map(str, of)) if isinstance(of, list) else str(of) for name, of in facts}
    rows = (f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>\n" for name, text in texts.items())
    return f"<dl>{''.join(rows)}</dl>\n"


def _learning(path: Path) -> Iterator[str]:
    """The learning curves, if the model is still in the directory of its run."""
    yield "<h2>Learning</h2>\n"
    file = path.resolve().parent / METRICS
    try:
        lines = read_text(file).splitlines() if file.is_file() else []
        metrics = [json.loads(line) for line in lines if line.strip()]
    except ValueError:
        raise InputError("has a line that is not JSON", path=file, remedy="move it away") from None
    if not metrics:
        yield f'<p class="quiet">There is no {METRICS} beside the model, so its curves are not known.</p>\n'
        return
    epochs = axis("epoch", [entry["epoch"] for entry in metrics])
    losses = [(entry["epoch"], entry["loss"]) for entry in metrics]
    yield _figure(line_chart({"loss": losses}, epochs, axis("loss", [y for _, y in losses], low=0.0)))
    scored = [entry for entry in metrics if "dev_f1" in entry]
    scores = {name: [(entry["epoch"], entry[f"dev_{name.lower()}"]) for entry in scored] for name in RATES}
    if scored:
        yield _figure(
            line_chart(scores, epochs, axis("dev", [y for line in scores.values() for _, y in line]))
        )


def _scores(gold: Sequence[Document], found: Sequence[Document]) -> str:
    scores = score_documents(gold, found)
    rows = [score_row(label, counts) for label, counts in scores.labels.items()]
    rows.append(score_row("all", scores.overall))
    head = "".join(f"<th>{cell}</th>" for cell in ("label", *RATES, "gold", "found", "right"))
    lines = ("".join(f"<td>{escape(shown(cell))}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>\n" for line in lines)
    return f'<h2>Scores</h2>\n<div class="scroll"><table><tr>{head}</tr>\n{body}</table></div>\n'


def _curves(model: Model, corpus: Sequence[Document]) -> Iterator[str]:
    scored = score_fragments(model, corpus)
    points = decoded_curve(scored, model.decoding, THRESHOLDS)
    lines = {
        name: [(point.threshold, getattr(point.counts, name.lower())) for point in points] for name in RATES
    }
    values = [y for line in lines.values() for _, y in line]
    yield "<h2>Thresholds and scores</h2>\n"
    yield _figure(line_chart(lines, axis("threshold", [], low=0.0, high=1.0), axis("%", values)))
    diagram = reliability_diagram({"right by score": reliability(scored)})
    yield f'<figure class="paper">{diagram}</figure>\n'


def _confusion(gold: Sequence[Document], found: Sequence[Document], errors: Sequence[MentionError]) -> str:
    """Gold labels down, predicted ones across; what matches is counted too."""
    pairs = Counter((span.label, span.label) for span in spans_of(gold) & spans_of(found))
    for error in errors:
        true, guess = (span.label if span else NOTHING for span in (error.gold, error.predicted))
        pairs[true, guess] += 1
    labels = [*sorted({label for two in pairs for label in two} - {NOTHING}), NOTHING]
    rows = []
    for label in labels:
        counts = [pairs[label, other] for other in labels]
        total = sum(counts) or 1
        cells = "".join(f'<td style="--part: {0.7 * one / total:.2f}">{one or ""}</td>' for one in counts)
        rows.append(f'<tr><th scope="row">{escape(label)}</th>{cells}</tr>')
    heads = "".join(f'<th scope="col">{escape(label)}</th>' for label in ("gold \\ found", *labels))
    note = '<p class="quiet">Mentions that overlap are paired even if their borders differ.</p>'
    table = f'<table class="heat"><tr>{heads}</tr>{"".join(rows)}</table>'
    return f'<h2>Confusions</h2>\n{note}\n<div class="scroll">{table}</div>\n'


def _errors(
    gold: Sequence[Document], found: Sequence[Document], errors: Sequence[MentionError], number: int
) -> Iterator[str]:
    yield "<h2>Errors in context</h2>\n"
    for kind, meaning in ERROR_KINDS.items():
        of_kind = [error for error in errors if error.kind == kind]
        yield f"<h3>{escape(kind)} ({len(of_kind)})</h3>\n<p class='quiet'>{escape(meaning)}</p>\n"
        for error in examples(of_kind, number):
            yield _case(error, gold[error.span.document], found[error.span.document])


def _case(error: MentionError, gold: Document, found: Document) -> str:
    """The sentence of an error, as it is annotated and as it was tagged."""
    spans = [span for span in (error.gold, error.predicted) if span]
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    touched = [one for one in gold.sentences if one.start < end and start < one.end]
    start = min([start, *(one.start for one in touched)])
    end = max([end, *(one.end for one in touched)])
    sides = "".join(
        f'<div class="side"><small>{name}</small>{marked_up(_part(document, start, end))}</div>'
        for name, document in (("gold", gold), ("found", found))
    )
    name = gold.id or f"document {error.span.document + 1}"
    return f'<div class="case"><small>{escape(name)}</small>{sides}</div>\n'


def _part(document: Document, start: int, end: int) -> Document:
    """Some characters of a document and the mentions that lie in them."""
    inside = [
        replace(mention, start=mention.start - start, end=mention.end - start)
        for mention in document.mentions
        if start <= mention.start and mention.end <= end
    ]
    return Document(document.text[start:end], mentions=inside)


def _figure(chart: str) -> str:
    return f"<figure>{chart}</figure>\n"
