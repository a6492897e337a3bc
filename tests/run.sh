#!/usr/bin/env bash
# Installs what the tests need, builds, and runs every test: under the sanitizers first, with every optimisation last, so that the
# last line to read is ctest's summary of the whole suite. Stops at the first build or suite that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

third_party/install.sh --with tests --with viewer

export TESSERA_REQUIRE_BGOLLY=1 TESSERA_REQUIRE_VULKAN=1 TESSERA_REQUIRE_VIEWER=1  # installed above
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
for preset in fuzz asan tsan release; do
  echo "== $preset"
  cmake --preset "$preset"
  cmake --build --preset "$preset"
  ctest --preset "$preset"
done
