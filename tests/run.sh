#!/usr/bin/env bash
# Installs what the tests need, builds, and runs every test: under the sanitizers first, with every optimisation last, so that the
# last line to read is ctest's summary of the whole suite. Stops at the first build or suite that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

third_party/install.sh --with tests --with viewer

# Installed above: a test that misses one of these fails, where it is skipped elsewhere.
export TESSERA_REQUIRE_{APPSTREAMCLI,BGOLLY,CLANG_FORMAT,DESKTOP_FILE_VALIDATE,DPKG_SHLIBDEPS,FFMPEG,GNUPLOT,MPI,VIEWER,VULKAN,XDOTOOL}=1
# One more than cores: tests that wait for a window, ranks or a time limit leave theirs idle.
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(($(nproc) + 1))}
# Two thirds of the time of Vulkan on the CPU goes into compiling shaders that another program has had, too.
export TESSERA_MESA_CACHE=$PWD/build/mesa-cache
# The CUDA backend is built and its kernels are compiled where there is a toolkit; no GPU is needed for that.
cuda=()
if command -v nvcc >/dev/null || [[ -e ${CUDA_PATH:-/usr/local/cuda}/include/cuda.h ]]; then
  cuda=(-D TESSERA_CUDA=ON)
  export TESSERA_REQUIRE_CUDA=1
else
  echo "no CUDA toolkit here: the CUDA backend and the test of its kernels are left out"
fi

for preset in asan tsan release; do
  echo "== $preset"
  options=()
  [[ $preset != release ]] || options=("${cuda[@]}")
  cmake --preset "$preset" "${options[@]}"
  cmake --build --preset "$preset"
  ctest --preset "$preset"
done
