"""Errors, reports, files, settings and worker processes: what every package may use."""
