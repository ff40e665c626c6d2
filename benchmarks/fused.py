"""What the models of several seeds find together, by the mean of their probabilities.

    python benchmarks/fused.py conll2002_es
    python benchmarks/fused.py conll2002_es --members 3
    python benchmarks/fused.py weibo

Takes the models that `benchmarks/mentions.py BENCHMARK --seed N` has left, at least two: all of them, or so
many at a time, in the order of their seeds, so that their spread is known. Threshold and strategy are
chosen on the dev set; the test set is scored once, with what was chosen.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from _mention_runs import CONFIGS, configured
from _record import RUNS, as_command, on_one_thread, record
from mentions import BENCHMARKS, check_teacher, command, named_metrics

from fofe.model.engine import Engine
from fofe.model.ensemble import Ensemble, EnsembleEngine
from fofe.model.storage import StoredModel, load_model
from fofe.training.config import DecodingConfig
from fofe.training.corpora import Corpus, read_corpora
from fofe.training.scoring import ScoredCorpus, score_corpus, tune


def main() -> None:
    """Choose on the dev set, score on the test set, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", choices=BENCHMARKS)
    parser.add_argument("--members", type=int, metavar="N", help="average N models at a time instead of all")
    args = parser.parse_args()
    on_one_thread()
    groups = _groups(_trained(args.benchmark), args.members)
    config = configured(CONFIGS / BENCHMARKS[args.benchmark], {})
    (corpus,) = read_corpora(config).parts
    each = [_scores(args.benchmark, group, corpus, config.decoding) for group in groups]
    metrics = {name: [scores[name] for scores in each] for name in each[0]} if len(each) > 1 else each[0]
    given = f" --members {args.members}" if args.members else ""
    record(f"{args.benchmark}_fused", metrics, f"python benchmarks/fused.py {args.benchmark}{given}")


def _trained(benchmark: str) -> list[Path]:
    """The models of the benchmark, one a seed, in the order of the seeds."""
    found = list(RUNS.glob(f"{benchmark}-[0-9]/model"))
    if len(found) < 2:
        raise SystemExit(
            f"skipped: {len(found)} of at least 2 models are there; "
            f"{command(benchmark, teachers=0, seed='N')} trains another"
        )
    return sorted(found)


def _groups(paths: list[Path], members: int | None) -> list[list[Path]]:
    """So many models at a time, each once; all of them if no number is given."""
    members = members or len(paths)
    if members < 2 or len(paths) % members:
        raise SystemExit(f"skipped: {len(paths)} models cannot be taken {members} at a time")
    return [paths[start : start + members] for start in range(0, len(paths), members)]


def _scores(
    benchmark: str, paths: Sequence[Path], corpus: Corpus, decoding: DecodingConfig
) -> dict[str, float]:
    """Choose on the dev set how some models decode together, and score them on the test set."""
    models = [load_model(path) for path in paths]
    for path, model in zip(paths, models, strict=True):
        check_teacher(benchmark, model, path)
    engine = averaged(models)

    def scored(part: str, threshold: float) -> ScoredCorpus:
        return score_corpus(
            benchmark,
            engine,
            corpus.part(part),
            models[0].labels,
            threshold,
            annotation=corpus.annotation,
            nested=decoding.nested,
            agreements=decoding.agreements,
        )

    tuned = tune([scored("dev", min(decoding.thresholds))], decoding)
    way = tuned.decoding(nested=decoding.nested)
    scores = scored("test", way.threshold).evaluation(way)
    f1 = {"names": scores.names.f1, "nominals": scores.nominals.f1, "overall": scores.overall.f1}
    metrics = named_metrics(benchmark, f1) | {"dev_f1": round(tuned.f1, 2), "fused_models": len(models)}
    print(*(path.parent.name for path in paths), metrics)
    return metrics


def averaged(models: Sequence[StoredModel]) -> EnsembleEngine:
    """One engine of several models."""
    weights = (1 / len(models),) * len(models)
    ensemble = Ensemble((Path(),) * len(models), tuple(models), weights, models[0].decoding)
    return EnsembleEngine([Engine(one.config, one.encoder, one.weights) for one in models], ensemble)


if __name__ == "__main__":
    as_command(main)
