#include "backends/cpu/cpu_driver.h"
#include "backends/distributed/edges_driver.h"
#include "backends/drivers.h"
#ifdef TESSERA_HAVE_CUDA
#include "backends/cuda/cuda_driver.h"
#endif
#ifdef TESSERA_HAVE_VULKAN
#include "backends/vulkan/vulkan_driver.h"
#endif

namespace tessera {

namespace {

constexpr MissingDriver kMissing[] = {
#ifndef TESSERA_HAVE_CUDA
    {"cuda", "not in this build: CMake found no CUDA Toolkit (or TESSERA_CUDA was OFF)"},
#endif
#ifndef TESSERA_HAVE_VULKAN
    {"vulkan",
     "not in this build: CMake found no Vulkan headers and glslc (or TESSERA_VULKAN was OFF)"},
#endif
    {nullptr, nullptr},
};

}  // namespace

std::span<const Driver* const> drivers() {
  static const Driver* const kTable[] = {
#ifdef TESSERA_HAVE_CUDA
      &with_any_edges(cuda_driver()),
#endif
#ifdef TESSERA_HAVE_VULKAN
      &with_any_edges(vulkan_driver()),
#endif
      &cpu_driver(),
  };
  return kTable;
}

std::span<const MissingDriver> missing_drivers() {
  return {kMissing, sizeof kMissing / sizeof *kMissing - 1};
}

}  // namespace tessera
