#!/bin/sh
# Runs the Vulkan backend's suite on the first GPU, grids beyond 2^32 cells, a million generations in lockstep with CUDA, and the
# benchmark of both in one run, and writes REPORT (JSON): vulkan/run-bundle.sh REPORT. It stands in the folder that
# tests/gpu/build-bundle.sh made. Nearly all of the suite's time goes into the driver's compiler, which every process has to
# itself: so a process for every program and kernel, side by side on all cores, each with caches of its own. All of them end within
# TESSERA_TIME seconds (170), what only a GPU can be asked within another 30; what is not done by then has status 124 in the
# report. SUBGROUPS is the device's size (32).
set -u
report=$(realpath -m "${1:?report file}")
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
. ../nvidia-vulkan.sh
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# Every rule and shape is a pipeline of its own to compile: few random cases.
export TESSERA_TEST_DATA=$PWD
export TESSERA_SUBGROUPS="${SUBGROUPS:-32}" TESSERA_BACKENDS=vulkan TESSERA_REQUIRE=vulkan TESSERA_CASES="${TESSERA_CASES:-16}"

# One job a line: its name, then settings, program and options. The longest begin first: strips has the most shapes.
cases() { "./$1" -c 2>/dev/null | grep -oE '[0-9]+$'; }
{
  for kernel in strips subgroup shared word; do
    for program in laws_test launches_test plane_test contract_test; do
      for n in $(seq "$(cases $program)"); do
        echo "$program-$kernel-$n TESSERA_KERNELS=$kernel ./$program --first=$n --last=$n"
      done
    done
    for program in neighbourhoods_test facts_test differential_test; do
      echo "$program-$kernel TESSERA_KERNELS=$kernel ./$program"
    done
    [ $kernel = strips ] || continue
    for program in vulkan_batches_test batch_test vulkan_edges_test vulkan_chained_test vulkan_chunks_test vulkan_robustness_test vulkan_device_test vulkan_pipeline_cache_test \
      vulkan_shared_picture_test vulkan_states_test states_test drivers_test; do
      echo "$program ./$program"
    done
    echo "plane_test-change ./plane_test -tc='*kernel can change*'"  # wants all of them in one process
  for n in $(seq "$(cases tiles_test)"); do echo "tiles_test-$n ./tiles_test --first=$n --last=$n"; done
  done
} >"$logs/jobs"
run_jobs() {  # run_jobs SECONDS FILE
  timeout "$1" xargs -a "$2" -d '\n' -P "$(nproc)" -I '{}' sh -c '
    logs=$0 seconds=$1 job=$2
    name=${job%% *}
    TESSERA_CACHE="$logs/cache-$name" timeout "$seconds" sh -c "exec env ${job#* }" >"$logs/$name" 2>&1
    echo $? >"$logs/$name.status"
  ' "$logs" "$(($1 - 2))" '{}'
}
run_jobs "${TESSERA_TIME:-170}" "$logs/jobs"
# They have the device nearly for themselves then.
for n in 1 2; do
  echo "vulkan_gpu_test-$n TESSERA_LONG=${TESSERA_LONG:-1000000} ./vulkan_gpu_test --first=$n --last=$n"
done >"$logs/jobs-gpu"
run_jobs 30 "$logs/jobs-gpu"
if [ "${BENCH:-yes}" = yes ]; then
  TESSERA_CACHE="$logs" timeout 25 ../tessera bench --quiet --suite sizes,rules --backends cuda,vulkan \
    --json "$logs/bench.json" >"$logs/bench.txt" 2>&1
  tail -n 60 "$logs/bench.txt"
fi

# Name, program, status and assertions of every job; one without a status was not done in time.
cat "$logs/jobs" "$logs/jobs-gpu" | while read -r name rest; do
  program=${rest#*./}
  echo "$name ${program%% *} $(cat "$logs/$name.status" 2>/dev/null || echo 124)" \
    "$(grep -a '^\[doctest\] assertions' "$logs/$name" 2>/dev/null | tail -1 | grep -oE '[0-9]+' | head -1)"
done >"$logs/results"
{
  echo "{"
  echo "\"date\": \"$(date -u +%Y-%m-%d)\","
  echo "\"device\": \"$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)\","
  echo "\"command\": \"tests/vulkan/run-bundle.sh\","
  echo "\"subgroups\": $TESSERA_SUBGROUPS,"
  echo "\"cases\": $TESSERA_CASES,"
  echo "\"tests\": {"
  awk '{ n[$2]++; assertions[$2] += $4; if ($3 > 0) { failed[$2]++; if ($3 > status[$2]) status[$2] = $3 } }
    END { for (p in n) printf "%s\"%s\": {\"status\": %d, \"processes\": %d, \"failed\": %d, \"assertions\": %d}", k++ ? ",\n" : "", p,
          status[p], n[p], failed[p], assertions[p] }' "$logs/results"
  echo "},"
  echo "\"failed\": [$(awk '$3 > 0 { printf "%s\"%s: status %s\"", k++ ? ", " : "", $1, $3 }' "$logs/results")],"
  echo "\"lockstep\": \"$(grep -a '^generation' "$logs/vulkan_gpu_test-2" | tail -1)\","
  echo "\"bench\": $(cat "$logs/bench.json" 2>/dev/null || echo null)"
  echo "}"
} >"$report"
failed=0
for name in $(awk '$3 > 0 { print $1 }' "$logs/results"); do
  failed=1
  echo "$name: status $(cat "$logs/$name.status" 2>/dev/null || echo 124)"
  grep -aA8 -E "ERROR:|CRASHED" "$logs/$name" 2>/dev/null | head -30
done
[ "${BENCH:-yes}" != yes ] || [ -s "$logs/bench.json" ] || failed=1
exit $failed
