// Everything that a backend does, with every kernel, for the validation layers to watch; the
// results are checked elsewhere, so that faults can be planted that change them. Prints the device,
// then nothing.

#include <fmt/format.h>

#include <cstdio>

#include "backends/vulkan/vulkan_backend.h"
#include "backends/vulkan/vulkan_driver.h"
#include "core/error.h"

using namespace tessera;

int main() {
  try {
    const Driver& driver = vulkan_driver();
    const DeviceList list = driver.devices();
    if (list.devices.empty()) throw UnsupportedError(list.missing);
    fmt::print("device: {}\n", list.devices.front().name);
    for (const KernelInfo& kernel : driver.kernels()) {
      for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
        BackendSpec spec;
        spec.width = 333;
        spec.height = 71;
        spec.boundary = boundary;
        const auto backend = driver.create(0, spec, kernel.name, {});
        backend->fill({1, 32768});
        backend->step(13);
        backend->step(5);  // behind an earlier submission that may still be under way
        backend->hash();
        backend->population();
        backend->bounds();
        backend->edit({100, 30}, make_soup({2, 30000}, 40, 20));
        backend->step(3);
        DensityImage image;
        backend->view({3, 3, 200, 60}, 3, image);
        backend->download();
        backend->synchronize();
      }
    }
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
