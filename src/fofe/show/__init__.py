"""Documents in their output formats, lattices of fragments, charts, and the report on a model."""
