#!/bin/sh
# Gathers the GPU tests, the benchmark, the program itself and the shared libraries they need in one folder, for a machine
# that has a GPU and little else: build-bundle.sh BUILD_FOLDER BUNDLE_FOLDER. Drivers and NVRTC must be there; the C library, too.
set -eu
build=${1:?build folder} bundle=${2:?bundle folder}
here=$(dirname "$0")
mkdir -p "$bundle/lib"
# The loader of Vulkan, which the program opens by name.
loader=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p | awk '$1 == "libvulkan.so.1" && /x86-64/ { print $NF; exit }')
[ -z "$loader" ] || cp -L "$loader" "$bundle/lib/"
mkdir -p "$bundle/vulkan"
suite=""  # what the build has of the suite that the Vulkan backend runs
for program in vulkan/vulkan_batches vulkan/vulkan_robustness vulkan/vulkan_chained vulkan/vulkan_chunks vulkan/vulkan_device vulkan/vulkan_edges vulkan/vulkan_gpu \
  vulkan/vulkan_pipeline_cache vulkan/vulkan_program_module vulkan/vulkan_shared_picture vulkan/vulkan_states \
  backends/batch backends/contract backends/differential backends/drivers backends/facts backends/launches backends/laws \
  backends/neighbourhoods backends/plane backends/ranges backends/states backends/tables distributed/distributed \
  tiles/tiles; do
  [ ! -e "$build/tests/${program}_test" ] || suite="$suite tests/${program}_test"
done
for program in tests/gpu/gpu_tests tests/gpu/gpu_bench tests/gpu/bands_cuda_test tests/gpu/states_cuda_test tests/gpu/sums_cuda_test \
  tests/gpu/files_cuda_test tests/benchmark/several_devices_benchmark apps/tessera/tessera $suite; do
  case $program in
    */bands_cuda_test | */states_cuda_test | */sums_cuda_test | */files_cuda_test) cp "$build/$program" "$bundle/" ;;
    *_test) cp "$build/$program" "$bundle/vulkan/" ;;
    *) cp "$build/$program" "$bundle/" ;;
  esac
  ldd "$build/$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -vE '/(libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+)\.so' | while read -r library; do
    cp -L "$library" "$bundle/lib/"
  done
done
cp "$here/run-all.sh" "$here/run-bundle.sh" "$here/run-suites.sh" "$here/nvidia-vulkan.sh" "$here/suite.txt" \
  "$here/../benchmark/several_devices.py" "$here/../benchmark/several_ranks.py" "$here/../support/mpirun.py" "$bundle/"
[ ! -e "$build/modules/libtessera_mpi.so" ] || cp "$build/modules/libtessera_mpi.so" "$bundle/"
cp "$here/../vulkan/run-bundle.sh" "$here/../vulkan/large-grids.sh" "$here/../vulkan/batches.sh" \
  "$here/../data/oracles.json" "$bundle/vulkan/"
