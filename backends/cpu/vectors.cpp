#include "backends/cpu/vectors.h"

#include <hwy/nanobenchmark.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/paths.h"

// Highway's shared library asks this when it is loaded, for benchmarks that nobody runs here, and
// its own answer takes 5 ms: as long as all else of a short run. A program's definition is taken
// in its place; a weak one gives way where Highway is linked statically.
namespace hwy::platform {
[[gnu::weak]] std::uint64_t TimerResolution() { return 1; }
}  // namespace hwy::platform

namespace tessera {

std::vector<std::string> vector_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

void limit_vectors(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  std::int64_t allowed = 0;
  std::string known;
  // Best first: whatever follows the named one is allowed, too.
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (allowed || name == hwy::TargetName(target)) allowed |= target;
    known += std::string(known.empty() ? "" : ", ") + hwy::TargetName(target);
  }
  if (!name.empty() && !allowed) {
    throw InputError("TESSERA_VECTORS=" + printable(name) +
                     ": this processor's instruction sets are " + known);
  }
  hwy::SetSupportedTargetsForTest(allowed);
  hwy::GetChosenTarget().DeInit();
}

void limit_vectors_as_asked() {
  static const bool kDone = [] {
    if (const char* name = std::getenv("TESSERA_VECTORS"); name && *name) limit_vectors(name);
    return true;
  }();
  static_cast<void>(kDone);
}

}  // namespace tessera
