#include "core/rules/state_recoder.h"

namespace tessera {

std::vector<std::uint16_t> states_by_code(const StateProgram& program) {
  std::vector<std::uint16_t> states(std::size_t{1} << program.planes);
  for (std::size_t state = 0; state < program.codes.size(); state++)
    states[program.codes[state]] = static_cast<std::uint16_t>(state);
  return states;
}

void StateRecoder::recode(std::span<const std::uint64_t> in, std::span<std::uint64_t> out) {
  in_ = in;
  out_ = out;
  std::uint64_t any = 0;
  for (const std::uint64_t word : in) any |= word;
  spread(any, in.size(), 0);
}

// `cells` have `value` in the planes from `plane` on.
void StateRecoder::spread(std::uint64_t cells, std::size_t plane, std::size_t value) {
  if (cells == 0) return;
  if (plane == 0) {
    for (std::size_t p = 0; p < out_.size(); p++)
      if (values_[value] >> p & 1) out_[p] |= cells;
    return;
  }
  plane--;
  spread(cells & in_[plane], plane, value | std::size_t{1} << plane);
  spread(cells & ~in_[plane], plane, value);
}

}  // namespace tessera
