#pragma once

#include "core/stepping/kernel_info.h"

namespace tessera::gpu {

/// The kernel table of GPUs, for rules of files (core/stepping/table_steps.h).
inline KernelInfo table_kernel() {
  KernelInfo info{"table",
                  "rules of files: bit planes of states, and a walk through a graph of tables that "
                  "the host makes while it is used",
                  {}};
  info.files = info.two_rules = true;
  info.near = false;
  return info;
}

}  // namespace tessera::gpu
