#!/bin/sh
# Train the small model of examples/ and tag a sentence with it: ./try.sh ["Another sentence."]
# Everything stays in this directory: the environment in .venv, the model in runs/tiny.
set -eu
cd "$(dirname "$0")"
text=${1:-Anna Berg met the mayor of Bergen at the University of Bergen.}

python3 -m venv .venv
.venv/bin/pip install --quiet -c constraints.txt '.[train]'
rm -rf runs/tiny
.venv/bin/fofe train examples/tiny.toml -o runs/tiny
.venv/bin/fofe tag --model runs/tiny/model --format text --text "$text"
