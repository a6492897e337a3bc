#pragma once

#include <doctest/doctest.h>

#include "backends/vulkan/gpu.h"
#include "tests/support/make_spec.h"

namespace tessera::test {

/// The device that tests run on; a test without one fails.
inline const vulkan::Gpu& first_gpu() {
  const vulkan::Gpus& gpus = vulkan::Gpus::get();
  REQUIRE_MESSAGE(!gpus.list.empty(), gpus.missing);
  return gpus.list.front();
}

}  // namespace tessera::test
