#pragma once

#include <string>

#include "core/rules/rule_spec.h"
#include "core/stepping/backend_spec.h"

namespace tessera::test {

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
