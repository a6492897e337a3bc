#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rules/rule.h"
#include "core/tiles/tile.h"

namespace tessera {

/// Turns the states of tiles' cells into the codes of a rule's program (StateProgram::codes), in
/// which a device steps them, and back. With two states they are the same.
class TileCodes {
 public:
  explicit TileCodes(const Rule& rule);

  /// Bit planes of a state, and of a code.
  int planes() const { return planes_; }
  int own() const { return own_; }

  /// The codes of tiles, own() planes each, from planes() each. What comes back is `states` where
  /// they are the same, and else what this keeps until it is asked again.
  const std::vector<TileRows>& coded(const std::vector<TileRows>& states);
  /// And back, in place.
  void decode(std::vector<TileRows>& tiles) const;

 private:
  int planes_, own_;
  std::vector<std::uint16_t> code_of_, state_of_;  // by state, and by code
  std::vector<TileRows> coded_;
};

}  // namespace tessera
