#pragma once

#include "core/rules/rule.h"
#include "core/stepping/kernel_info.h"

namespace tessera::test {

/// A rule that a kernel steps: Life, or where it does not step that, one of longer range or of a
/// file.
inline Rule usual_rule(const KernelInfo& kernel) {
  if (kernel.near) return kLife;
  return parse_rule(kernel.ranges ? "R5,C3,M1,S34..58,B34..45,NM" : "JvN29");
}

}  // namespace tessera::test
