from __future__ import annotations

from fofe.tagging.model import Model

TEXT = "Anna Berg met the mayor of Bergen, said Omar Haddad."
OTHER = "Bergen is not Leeds; Grace Otieno of Acme left the company in 2014."


def test_a_fresh_model_has_the_same_scores_whatever_came_before(tiny_model: Model) -> None:
    first = tiny_model.fresh()(TEXT)
    for text in ("Berg", OTHER, "mayor", TEXT):
        tiny_model(text)
    assert tiny_model.fresh()(TEXT).mentions == first.mentions
    used = tiny_model.fresh()
    used(OTHER)
    assert used.fresh()(TEXT).mentions == first.mentions
    assert first.mentions
