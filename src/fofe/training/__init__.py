"""Training models. Needs PyTorch."""

import os

# Threads of OpenMP that wait actively for one another take the time of any busy process beside them, and
# training becomes ten or more times slower. The settings are read when PyTorch is loaded, so they come first.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("KMP_BLOCKTIME", "0")
