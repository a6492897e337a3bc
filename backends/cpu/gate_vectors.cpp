// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/gate_vectors.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstddef>
#include <utility>

#include "backends/cpu/gate_vectors.h"

HWY_BEFORE_NAMESPACE();
namespace tessera {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
// At most kGateWords lanes.
using Tag = hn::CappedTag<std::uint64_t, 8>;
using Vec = hn::Vec<Tag>;

#include "backends/cpu/lut_gates.inl"

template <int kTable>
void run_gate(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
              std::uint64_t* out, std::int64_t words) {
  const Tag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < words; i += lanes) {
    hn::StoreU(lut3<kTable>(hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, c + i)), d,
               out + i);
  }
}

template <std::size_t... kTables>
std::array<GateFunction, 256> all_functions(std::index_sequence<kTables...>) {
  return {run_gate<static_cast<int>(kTables)>...};
}

std::array<GateFunction, 256> functions() { return all_functions(std::make_index_sequence<256>()); }

void triples(const std::uint64_t* from, std::int64_t words, std::uint64_t* left,
             std::uint64_t* middle, std::uint64_t* right) {
  const Tag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < words; i += lanes) {
    const Vec x = hn::LoadU(d, from + i);
    hn::StoreU(x, d, middle + i);
    hn::StoreU(hn::Or(hn::ShiftLeft<1>(x), hn::ShiftRight<63>(hn::LoadU(d, from + i - 1))), d,
               left + i);
    hn::StoreU(hn::Or(hn::ShiftRight<1>(x), hn::ShiftLeft<63>(hn::LoadU(d, from + i + 1))), d,
               right + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(functions);
HWY_EXPORT(triples);

const std::array<GateFunction, 256>& gate_functions() {
  static const std::array<GateFunction, 256> kFunctions = HWY_DYNAMIC_DISPATCH(functions)();
  return kFunctions;
}

void load_triples(const std::uint64_t* from, std::int64_t words, std::uint64_t* left,
                  std::uint64_t* middle, std::uint64_t* right) {
  HWY_DYNAMIC_DISPATCH(triples)(from, words, left, middle, right);
}

}  // namespace tessera
#endif  // HWY_ONCE
