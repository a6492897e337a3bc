#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/rules/range_rule.h"
#include "core/rules/rule.h"

namespace tessera {

/// The letter or sign behind N: 'M', 'N', 'C', '2', '+', 'X', '*', '#', 'B', 'D', 'H', '@'.
char letter_of(RangeShape shape);

/// Whether a text means to be a rule of longer range: "R5,...", or five numbers.
bool is_range(std::string_view text);

/// Parses "R5,C0,M1,S34..58,B34..45,NM", the lists of HROT, "R2,C2,S2,4-6,B5-6,N#", a custom shape,
/// "N@" and R(R+1) hexadecimal digits, and Evans's "5,34,45,34,58": range, births, survivals, with
/// the cell itself. C, M and N may be missing: two states, neighbours alone, all of the square.
/// Returns false with the reason and the place of the fault in `text` when it is something else.
struct RangeFault {
  std::size_t at = 0;
  std::string why;
};
bool parse_range(std::string_view text, Rule& rule, RangeFault& fault);

}  // namespace tessera
