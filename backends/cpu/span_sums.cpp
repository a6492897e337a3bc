// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/span_sums.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "backends/cpu/span_sums.h"

HWY_BEFORE_NAMESPACE();
namespace tessera {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void add(std::int32_t* sums, const std::int32_t* plus, const std::int32_t* minus,
         std::int64_t count) {
  const hn::ScalableTag<std::int32_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto difference = hn::Sub(hn::LoadU(d, plus + i), hn::LoadU(d, minus + i));
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), difference), d, sums + i);
  }
  for (; i < count; i++) sums[i] += plus[i] - minus[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(add);

void add_differences(std::int32_t* sums, const std::int32_t* plus, const std::int32_t* minus,
                     std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(add)(sums, plus, minus, count);
}

}  // namespace tessera
#endif  // HWY_ONCE
