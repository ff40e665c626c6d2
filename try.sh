#!/bin/sh
# Install fofe and its English model, and tag three sentences, or your own: ./try.sh ["Another sentence."]
# Everything stays in this directory: the environment is .venv.
set -eu
case "${1:-}" in
-h | --help)
    echo 'usage: ./try.sh ["Another sentence." ...]'
    exit
    ;;
esac
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- \
    "S.E.C. chief Mary Shapiro left Washington in December." \
    "Mark and his closest friend Scarlet, a cello player, joined the same company." \
    "The University of Bristol hired three researchers last year."

python3 -m venv .venv
.venv/bin/pip install --quiet -c constraints.txt . ./models/en
printf '%s\n' "$@" | .venv/bin/fofe tag --format text
