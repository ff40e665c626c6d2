"""Exact-span scores with their intervals, errors, thresholds, calibration and annotation schemes."""

from fofe.evaluate.scores import Counts, Evaluation, score_documents, score_spans

__all__ = ["Counts", "Evaluation", "score_documents", "score_spans"]
