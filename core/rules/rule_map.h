#pragma once

#include <span>
#include <string>

#include "core/rules/rule.h"

namespace tessera {

/// The cells that a family's rules see: bits of a pattern (NeighbourhoodTable), in the order in
/// which a MAP counts them, the highest first. Hexagonal ones go from the bottom to the top, as
/// Golly and LifeViewer have it, the others from the top to the bottom; but in a MAP of Generations
/// Golly counts hexagonal ones from the top, too.
std::span<const int> cells_of(RuleFamily family);

/// The bits of a pattern at `cells` as a number, the first cell its highest bit.
int gathered(int pattern, std::span<const int> cells);

/// The pattern of which `gathered` gives `number` and whose other cells are dead.
int scattered(int number, std::span<const int> cells);

/// Parses what stands behind "MAP": 86, 22 or 6 characters of base64, with "==" or without, where a
/// number of states follows (`generations`) or none. Returns false with the reason and the place of
/// the fault in `text` when it is something else.
struct MapFault {
  std::size_t at = 0;
  std::string why;
};
bool parse_map(std::string_view text, bool generations, Rule& rule, MapFault& fault);

/// "MAP" with the canonical characters: no padding, unused bits 0.
std::string map_text(const Rule& rule);

}  // namespace tessera
