#include "core/spaces/fixed_space.h"

#include <utility>

namespace tessera {

FixedSpace::FixedSpace(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory)
    : DenseSpace(spec, std::move(factory), max_memory) {
  make(whole());
}

}  // namespace tessera
