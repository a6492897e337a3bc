#!/usr/bin/env bash
# From a fresh clone to a picture: installs what is missing, builds the release preset, runs patterns with known final populations
# and a soup on the best backend of this machine, and leaves pictures in out/. Fails when a population differs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

third_party/install.sh
echo "first-run: building build/release" >&2
log=build/first-run.log
mkdir -p build out
{ cmake --preset release && cmake --build --preset release --target tessera; } >"$log" 2>&1 || {
  tail -n 40 "$log" >&2
  echo "first-run: the build failed; all of its output is in $log" >&2
  exit 1
}
tessera=build/release/apps/tessera/tessera

# The value of a member of the JSON object that tessera prints, one member per line.
member() { sed -n -e 's/^ *"'"$1"'": "\(.*\)",\{0,1\}$/\1/p' -e 's/^ *"'"$1"'": \([^"[,]*\),\{0,1\}$/\1/p' <<<"$2"; }

# Runs a pattern to a generation at which its population is known.
known() {
  local name=$1 generation=$2 population=$3 picture=out/$1.png report found
  report=$("$tessera" run "apps/patterns/$name.rle" --gens "$generation" --json --quiet --out "$picture")
  found=$(member population "$report")
  if [[ $found != "$population" ]]; then
    echo "first-run: $name has $found live cells at generation $generation; $population are known" >&2
    exit 1
  fi
  printf '%-12s generation %s, %s live cells as known: %s\n' "$name" "$generation" "$population" "$picture"
}

known r-pentomino 1103 116
known acorn 5206 633
report=$("$tessera" run --soup 0.5 --seed 1 --size 4096x4096 --gens 1000 --json --quiet)
printf '%-12s 4096x4096 torus, generation 1000, %s live cells, %.3g cells/s\n' soup \
  "$(member population "$report")" "$(member cells_per_second "$report")"
printf '%-12s %s (%s), kernel %s\n' "stepped by" "$(member backend "$report")" "$(member device "$report")" \
  "$(member kernel "$report")"
