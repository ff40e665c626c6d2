"""Exact-span scoring, breakdowns, errors, and how sure the figures are."""

from fofe.evaluate.scores import Counts, Evaluation, score_documents, score_spans

__all__ = ["Counts", "Evaluation", "score_documents", "score_spans"]
