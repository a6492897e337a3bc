#pragma once

#include <string>

#include "core/rule.h"

namespace tessera::cuda {

/// The text of "rule.cuh": `tessera_next`, the rule's circuit as three-input gates. Made of the rule's masks alone.
std::string rule_header(const Rule& rule);

/// "-DTESSERA_BIRTH=8", "-DTESSERA_SURVIVAL=12", for kernels that count.
std::string birth_option(const Rule& rule);
std::string survival_option(const Rule& rule);

}  // namespace tessera::cuda
