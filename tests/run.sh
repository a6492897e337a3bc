#!/usr/bin/env bash
# Installs what the tests need, builds, and runs the suite. Sanitizers, fuzzers, planted faults and GPU compilation take longer and are
# asked for by name: TESSERA_PRESETS="fuzz asan tsan release" TESSERA_LONG=1 tests/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

third_party/install.sh --with tests

export TESSERA_REQUIRE_BGOLLY=1  # installed above
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
skip=()
[ "${TESSERA_LONG:-0}" = 1 ] || skip=(-E '^(mutation_test|cuda_compile_test)$')
for preset in ${TESSERA_PRESETS:-release}; do
  echo "== $preset"
  cmake --preset "$preset"
  cmake --build --preset "$preset"
  ctest --preset "$preset" "${skip[@]}"
done
