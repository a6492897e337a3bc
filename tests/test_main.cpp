// doctest's main. Where mpirun started several processes, the tests run on rank 0 and the others
// serve it: TESSERA_BACKENDS=cpu*ranks then tests one grid over all of them.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "backends/drivers.h"

int main(int argc, char** argv) {
  return tessera::run_on_ranks(argc, argv, [&] { return doctest::Context(argc, argv).run(); });
}
