#include "backends/distributed/rank_site.h"

#include <algorithm>
#include <utility>

namespace tessera {

RankSite::RankSite(RankPlace place, FindDevice find)
    : place_(std::move(place)), find_(std::move(find)) {}

Kernel RankSite::kernel(const std::string& device, const std::string& name) const {
  const PartDevice part = this->device(device);
  Kernel kernel{part.driver, part.device, {}, false};
  for (KernelInfo& info : part.driver->kernels()) {
    if (info.name == name) kernel.info = std::move(info);
  }
  return kernel;
}

Tuning RankSite::tuning(const Kernel& kernel, Tuning tuning) const {
  if (kernel.info.parameter(&Tuning::threads)) {
    tuning.threads =
        tuning.threads > 0 ? std::max(1, tuning.threads / place_.locals) : place_.threads;
  }
  return tuning;
}

}  // namespace tessera
