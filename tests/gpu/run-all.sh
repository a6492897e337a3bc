#!/bin/sh
# Everything that a machine with a GPU can prove and measure, from the folder of build-bundle.sh: the CUDA benchmark, tests and
# sanitizers, the Vulkan tests, then the suites of 'tessera bench', one after the other, for all of them want all cores:
# run-all.sh FOLDER [SECONDS]. Leaves FOLDER/cuda.json, vulkan.json and, from run-suites.sh, which gets what is left of
# SECONDS (1000), bench.json and tune.json.
# The exit code is that of the first part that failed.
set -u
folder=${1:?folder for the results} seconds=${2:-1000}
mkdir -p "$folder" || exit 1
folder=$(realpath "$folder")
cd "$(dirname "$0")" || exit 1
end=$(($(date +%s) + seconds))

./run-bundle.sh "$folder/cuda.json" >"$folder/cuda.log" 2>&1
cuda=$?
BENCH=no vulkan/run-bundle.sh "$folder/vulkan.json" >"$folder/vulkan.log" 2>&1
vulkan=$?
LIMIT=$((end - $(date +%s))) ./run-suites.sh "$folder"
suites=$?
tail -n 100 "$folder/cuda.log" "$folder/vulkan.log"
echo "cuda $cuda, vulkan $vulkan, suites $suites"
for status in $cuda $vulkan $suites; do [ $status = 0 ] || exit $status; done
