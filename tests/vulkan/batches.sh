#!/bin/sh
# Checks batches of universes on the first GPU and times them beside one grid of as many cells, with Vulkan and with CUDA:
# batches.sh [JSON]. It stands in the folder vulkan that tests/gpu/build-bundle.sh made. SUBGROUPS is the device's size (32).
set -eu
json=$(realpath -m "${1:-batches.json}")
cd "$(dirname "$0")"
export LD_LIBRARY_PATH="$PWD/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
. ../nvidia-vulkan.sh
export TESSERA_SUBGROUPS="${SUBGROUPS:-32}"
TESSERA_BACKENDS=vulkan TESSERA_REQUIRE=vulkan TESSERA_CASES="${TESSERA_CASES:-24}" ./batch_test -tc='every device*'
./vulkan_batches_test
exec ../tessera bench --quiet --suite batch --backends vulkan,cuda --json "$json"
