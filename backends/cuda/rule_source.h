#pragma once

#include <string>

#include "core/rules/rule.h"

namespace tessera::cuda {

/// The text of "rule.cuh", made only from the rule's masks:
///   TESSERA_LIFE    1 for B3/S23, whose circuit is in circuit.inl;
///   tessera_tail    otherwise: the end of the rule's circuit, three-input gates of t0, k, u0, u1
///                   and x;
///   TESSERA_SUM_T0, TESSERA_SUM_U0
///                   whether the kernel strips should compute t0, and u0, from a sum and a
///                   majority.
std::string rule_header(const Rule& rule);

/// "-DTESSERA_BIRTH=8", "-DTESSERA_SURVIVAL=12", for kernels that count.
std::string birth_option(const Rule& rule);
std::string survival_option(const Rule& rule);

}  // namespace tessera::cuda
