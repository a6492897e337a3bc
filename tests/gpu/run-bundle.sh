#!/bin/sh
# Runs what build-bundle.sh gathered on a machine with a GPU and writes REPORT (JSON): run-bundle.sh REPORT [quick].
# Tests first, then compute-sanitizer's four tools at small sizes (unless "quick"), then the benchmark of suite.txt.
# REFERENCE may name a program to time in the same run; its output goes into the report.
set -u
report=$(realpath -m "${1:?report file}")
quick=${2:-}
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
failed=0

# A million generations in lockstep take some seconds on a fast card.
export TESSERA_LONG="${TESSERA_LONG:-1000000}"
./gpu_tests >"$logs/tests" 2>&1
tests=$?
[ $tests -eq 0 ] || failed=1
grep -aA8 "ERROR:" "$logs/tests" | head -60
tail -3 "$logs/tests"

sanitizer=""
if [ "$quick" != quick ]; then
  for tool in memcheck racecheck initcheck synccheck; do
    TESSERA_CASES=3 compute-sanitizer --tool $tool --error-exitcode 9 ./gpu_tests \
      -tc="*random small grids*" >"$logs/$tool" 2>&1
    status=$?
    [ $status -eq 0 ] || failed=1
    echo "compute-sanitizer $tool: $status, $(grep -cE 'SUMMARY: 0 (errors|hazards)' "$logs/$tool") clean summary"
    sanitizer="$sanitizer\"$tool\": $status, "
  done
fi

./gpu_bench <suite.txt >"$logs/bench" || failed=1
cat "$logs/bench"
reference='""'
if [ -n "${REFERENCE:-}" ]; then
  reference=$("$REFERENCE" | python3 -c 'import json, sys; print(json.dumps(sys.stdin.read().splitlines()))')
fi
{
  echo "{"
  echo "\"date\": \"$(date -u +%Y-%m-%d)\","
  echo "\"device\": \"$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)\","
  echo "\"command\": \"tests/gpu/run-bundle.sh\","
  echo "\"tests\": {\"status\": $tests, \"summary\": \"$(grep -a 'test cases' "$logs/tests" | tail -1 | tr -d '\n')\"},"
  echo "\"compute_sanitizer\": {${sanitizer%, }},"
  echo "\"reference\": $reference,"
  echo "\"bench\": ["
  sed '$!s/$/,/' "$logs/bench"
  echo "]}"
} >"$report"
exit $failed
