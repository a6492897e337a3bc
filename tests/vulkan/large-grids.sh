#!/bin/sh
# Times grids beyond a binding, and smaller ones, in chunks, by addresses and with CUDA on the first GPU: large-grids.sh [WxH...].
# A line for each way: cell updates per second of device time, the median of five, and the hash, which must be the same for all
# ways of a grid. TESSERA_RULE names another rule than Life. It stands in the folder vulkan that tests/gpu/build-bundle.sh made. An
# H100 with 80 GB has room for 262144x262144.
set -eu
[ $# = 0 ] || export TESSERA_GRIDS="$*"
cd "$(dirname "$0")"
export LD_LIBRARY_PATH="$PWD/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
. ../nvidia-vulkan.sh
exec ./vulkan_gpu_test -tc='large grids by every way*'
