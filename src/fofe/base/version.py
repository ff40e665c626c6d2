"""The version of fofe. No package imports the public names of `fofe` to know it."""

__version__ = "0.1.0"
