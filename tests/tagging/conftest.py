"""Random small models, made as for the tests of the engine."""

from tests.model.conftest import make_model, make_text

__all__ = ["make_model", "make_text"]
