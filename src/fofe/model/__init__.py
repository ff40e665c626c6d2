"""Configuration, network, engines and storage of a model."""
