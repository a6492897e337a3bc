#!/bin/sh
# Gathers the GPU tests, the benchmark and the shared libraries they need in one folder, for a machine that has a GPU and
# little else: build-bundle.sh BUILD_FOLDER BUNDLE_FOLDER. The CUDA driver and NVRTC must be there; the C library, too.
set -eu
build=${1:?build folder} bundle=${2:?bundle folder}
here=$(dirname "$0")
mkdir -p "$bundle/lib"
for program in gpu_tests gpu_bench; do
  cp "$build/tests/gpu/$program" "$bundle/"
  ldd "$build/tests/gpu/$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -vE '/(libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+)\.so' | while read -r library; do
    cp -L "$library" "$bundle/lib/"
  done
done
cp "$here/run-bundle.sh" "$here/suite.txt" "$bundle/"
