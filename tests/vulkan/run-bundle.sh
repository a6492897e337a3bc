#!/bin/sh
# Runs the Vulkan backend's suite on the first GPU, grids beyond 2^32 cells, a million generations in lockstep with CUDA, and the
# benchmark of both in one run, and writes REPORT (JSON): vulkan/run-bundle.sh REPORT. It stands in the folder that
# tests/gpu/build-bundle.sh made. The programs of the suite run side by side, each for TESSERA_TIME seconds at most (200); one
# that is not done by then has status 124 in the report. SUBGROUPS is the device's size (32). Ends within 100 seconds.
set -u
report=$(realpath -m "${1:?report file}")
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
. ../nvidia-vulkan.sh
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
failed=0

# Every rule and shape is a pipeline of its own to compile: few random cases.
export TESSERA_TEST_DATA=$PWD
export TESSERA_SUBGROUPS="${SUBGROUPS:-32}" TESSERA_BACKENDS=vulkan TESSERA_REQUIRE=vulkan TESSERA_CASES="${TESSERA_CASES:-16}"
for program in *_test; do
  [ "$program" != vulkan_gpu_test ] || continue
  (
    XDG_CACHE_HOME="$logs/cache-$program" timeout "${TESSERA_TIME:-200}" "./$program" >"$logs/$program" 2>&1
    echo $? >"$logs/$program.status"
  ) &
done
wait
TESSERA_LONG="${TESSERA_LONG:-1000000}" XDG_CACHE_HOME="$logs" timeout 60 ./vulkan_gpu_test >"$logs/vulkan_gpu_test" 2>&1
echo $? >"$logs/vulkan_gpu_test.status"
if [ "${BENCH:-yes}" = yes ]; then
  XDG_CACHE_HOME="$logs" timeout 25 ../tessera bench --quiet --suite sizes,rules --backends cuda,vulkan \
    --json "$logs/bench.json" >"$logs/bench.txt" 2>&1
  tail -n 60 "$logs/bench.txt"
fi

{
  echo "{"
  echo "\"date\": \"$(date -u +%Y-%m-%d)\","
  echo "\"device\": \"$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)\","
  echo "\"command\": \"tests/vulkan/run-bundle.sh\","
  echo "\"subgroups\": $TESSERA_SUBGROUPS,"
  echo "\"tests\": {"
  first=1
  for status in "$logs"/*.status; do
    program=$(basename "$status" .status)
    [ $first = 1 ] || echo ","
    first=0
    printf '"%s": {"status": %s, "summary": "%s"}' "$program" "$(cat "$status")" \
      "$(grep -a 'assertions' "$logs/$program" | tail -1 | sed 's/\[doctest\] *//' | tr -d '\n')"
  done
  echo "},"
  echo "\"lockstep\": \"$(grep -a '^generation' "$logs/vulkan_gpu_test" | tail -1)\","
  echo "\"bench\": $(cat "$logs/bench.json" 2>/dev/null || echo null)"
  echo "}"
} >"$report"
for status in "$logs"/*.status; do
  [ "$(cat "$status")" = 0 ] && continue
  failed=1
  echo "$(basename "$status" .status): status $(cat "$status")"
  grep -aA8 -E "ERROR:|CRASHED" "$logs/$(basename "$status" .status)" | head -30
done
[ "${BENCH:-yes}" != yes ] || [ -s "$logs/bench.json" ] || failed=1
exit $failed
