#include "core/tiles/tile_codes.h"

#include <array>
#include <cstddef>
#include <utility>

#include "core/rules/state_program.h"
#include "core/rules/state_recoder.h"

namespace tessera {

namespace {

// Tiles of `planes` planes each as ones of `others`, by the new value of every one that occurs.
void recode_tiles(const std::vector<TileRows>& tiles, std::size_t planes,
                  const std::vector<std::uint16_t>& values, std::size_t others,
                  std::vector<TileRows>& out) {
  out.assign(tiles.size() / planes * others, {});
  StateRecoder recoder(values);
  std::array<std::uint64_t, kMostProgramPlanes> in{}, made{};
  for (std::size_t from = 0, to = 0; from < tiles.size(); from += planes, to += others) {
    for (std::size_t r = 0; r < kTileSide; r++) {
      for (std::size_t p = 0; p < planes; p++) in[p] = tiles[from + p][r];
      made = {};
      recoder.recode(std::span(in).first(planes), std::span(made).first(others));
      for (std::size_t p = 0; p < others; p++) out[to + p][r] = made[p];
    }
  }
}

}  // namespace

TileCodes::TileCodes(const Rule& rule) : planes_(rule.planes()), own_(1) {
  if (planes_ == 1) return;
  const StateProgram program = state_program(rule, {});
  own_ = program.planes;
  code_of_ = program.codes;
  code_of_.resize(std::size_t{1} << planes_);
  state_of_ = states_by_code(program);
}

const std::vector<TileRows>& TileCodes::coded(const std::vector<TileRows>& states) {
  if (planes_ == 1) return states;
  recode_tiles(states, static_cast<std::size_t>(planes_), code_of_, static_cast<std::size_t>(own_),
               coded_);
  return coded_;
}

void TileCodes::decode(std::vector<TileRows>& tiles) const {
  if (planes_ == 1) return;
  std::vector<TileRows> states;
  recode_tiles(tiles, static_cast<std::size_t>(own_), state_of_, static_cast<std::size_t>(planes_),
               states);
  tiles = std::move(states);
}

}  // namespace tessera
