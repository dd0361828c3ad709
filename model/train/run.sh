#!/bin/sh
# Builds the embedded model from packages by name into model/train/build, which git ignores; nothing else is touched.
# Needs Python 3.11 or newer with venv, npm, apt-get and dpkg-deb (Debian or Ubuntu), 4 GB of memory, 6 GB of disk.
# SIZE=100000 sh model/train/run.sh builds a smaller one (docs/model.md tells what that costs).
set -eu
cd "$(dirname "$0")"
python3 -m venv build/venv
. build/venv/bin/activate
pip install --quiet -r requirements.txt
SIZE=${SIZE:-128000}
python -m unittest -q
python -m staticml.download # build/packages, about 800 MB
python -m staticml.extract  # build/parallel.jsonl, operations.jsonl, senses.jsonl
python -m staticml.lexicon  # build/lexicon.bin
python -m staticml.teacher  # build/token.npy, text.npy
python -m staticml.data     # build/tokens.npz
for stage in first second refined again; do
  python -m staticml.train "$stage" --vocabulary "$SIZE"
done
python -m staticml.pack --model build/static.bin
python measure.py --model build/static.bin
echo "Copy build/lexicon.bin to search/text/lexicon.bin if search is better with it: go test ./search -v -run 'OwnSet|Public'."
echo "Copy build/static.bin to model/default/static.bin if it is better, and its sha256 to docs/model.md."
