#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>

#include "core/cells/bit_grid.h"
#include "core/cells/soup.h"
#include "core/rules/rule.h"

namespace tessera::test {

using Random = std::mt19937_64;
/// A number from `least` to `most`.
inline std::int64_t draw(Random& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

/// A soup of random size and density.
inline BitGrid random_cells(Random& random, std::int64_t most_side) {
  BitGrid cells(draw(random, 1, most_side), draw(random, 1, most_side));
  const auto density = static_cast<std::uint32_t>(draw(random, 1000, 40000));
  const Soup soup{random(), density};
  return make_soup(soup, cells.width(), cells.height());
}

/// What moves, blinks and explodes.
inline constexpr const char* kThings[] = {
    "bo$2bo$3o!",  // glider
    "3o$2bo$bo!",
    "3o$o$bo!",
    "bo$o$3o!",          // and the other three
    "bo2bo$o$o3bo$4o!",  // lightweight spaceship
    "b2o$2o$bo!",        // R-pentomino
    "2o$2o!",
    "3o!",                                                // block, blinker
    "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o!",  // half a pulsar
    "bo$3bo$2o2b3o!",                                     // acorn
};

/// Rules that random lives have, first those of other tests, too.
inline constexpr const char* kRules[] = {"B36/S23", "B2/S",     "B1/S1",       "B3/S012345678",
                                         "B34/S34", "B38/S238", "B3/S238",     "B36/S125",
                                         "B2/S0",   "B35/S236", "B3678/S34678"};
/// So many of kRules are drawn from: any rule beside them; for devices that compile each; and for
/// those that take long to do so.
enum class Variety : std::size_t { any = 0, listed = std::size(kRules), few = 4 };

/// Life every other time; never with B0.
inline Rule random_rule(Random& random, Variety variety = Variety::any) {
  if (random() % 2) return kLife;
  const bool any = variety == Variety::any;
  const std::size_t rules = any ? std::size(kRules) : static_cast<std::size_t>(variety);
  if (!any || random() % 2) return parse_rule(kRules[random() % rules]);
  Rule rule;
  rule.birth = static_cast<std::uint16_t>(random() & 0x1FE);
  rule.survival = static_cast<std::uint16_t>(random() & 0x1FF);
  return rule;
}

}  // namespace tessera::test
