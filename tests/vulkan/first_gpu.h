#pragma once

#include <doctest/doctest.h>

#include <string>

#include "backends/vulkan/gpu.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/backend_spec.h"

namespace tessera::test {

/// The device that tests run on; a test without one fails.
inline const vulkan::Gpu& first_gpu() {
  const vulkan::Gpus& gpus = vulkan::Gpus::get();
  REQUIRE_MESSAGE(!gpus.list.empty(), gpus.missing);
  return gpus.list.front();
}

/// A grid of that size under a rule without a universe.
inline BackendSpec make_spec(std::int64_t width, std::int64_t height, Boundary boundary,
                             const std::string& rule) {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  spec.boundary = boundary;
  spec.rule = parse_rule(rule);
  return spec;
}

}  // namespace tessera::test
