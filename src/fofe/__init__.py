"""Find mentions - names and nominals, flat or nested - by judging every fragment of a text."""

__version__ = "0.1.0"
