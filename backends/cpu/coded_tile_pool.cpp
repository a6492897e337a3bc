#include "backends/cpu/coded_tile_pool.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <utility>

#include "core/rules/state_recoder.h"

namespace tessera {

CodedTilePool::CodedTilePool(const BackendSpec& spec, const StateProgram& program, int threads)
    : CpuTilePool(spec.rule, spec.max_memory, threads),
      rule_planes_(spec.rule.planes()),
      own_planes_(program.planes),
      code_of_(program.codes),
      state_of_(states_by_code(program)) {
  code_of_.resize(std::size_t{1} << rule_planes_);
  if (own_planes_ > 1) {
    planes_.emplace(own_planes_);
    planes_->reserve(states().end());
  }
}

void CodedTilePool::use(const WindowStepper& stepper) {
  const std::size_t words = coded_scratch_words(stepper);
  std::vector<Scratch> scratch;
  for (std::size_t i = 0; i < lanes(); i++) {
    scratch.push_back(hwy::AllocateAligned<std::uint64_t>(words));
    if (!scratch.back()) throw std::bad_alloc();
    std::fill_n(scratch.back().get(), words, 0);
  }
  scratch_ = std::move(scratch);
  stepper_ = &stepper;
}

CodedTiles CodedTilePool::tiles() { return {stepper_, planes_ ? &*planes_ : nullptr}; }

TileState CodedTilePool::put(const TileRows& rows) {
  std::vector<TileRows> planes(static_cast<std::size_t>(rule_planes_));
  planes.front() = rows;
  return put_planes(planes);
}

TileState CodedTilePool::put_planes(std::span<const TileRows> planes) {
  if (!planes_) return CpuTilePool::put(planes.front());
  const TileRows live = live_cells(planes);
  states().reserve(1, 1);
  planes_->reserve(states().end());
  const TileState state = CpuTilePool::put(live);
  if (!state) return 0;
  std::uint64_t* const to = planes_->words(state);
  const auto own = static_cast<std::size_t>(own_planes_);
  StateRecoder recoder(code_of_);
  std::array<std::uint64_t, kMostProgramPlanes> in{}, out{};
  for (std::size_t r = 0; r < live.size(); r++) {
    for (std::size_t p = 0; p < planes.size(); p++) in[p] = planes[p][r] << kTileMargin;
    out = {};
    recoder.recode(std::span(in).first(planes.size()), std::span(out).first(own));
    for (std::size_t p = 0; p < own; p++)
      to[p * StatePlanes::kWords + StateStore::word_of(r)] = out[p];
  }
  return state;
}

void CodedTilePool::get_planes(TileState state, std::span<TileRows> planes) const {
  if (!planes_) return get(state, planes.front());
  const std::uint64_t* const from = planes_->words(state);
  const auto own = static_cast<std::size_t>(own_planes_);
  StateRecoder recoder(state_of_);
  std::array<std::uint64_t, kMostProgramPlanes> in{}, out{};
  for (std::size_t r = 0; r < kTileSide; r++) {
    for (std::size_t p = 0; p < own; p++)
      in[p] = from[p * StatePlanes::kWords + StateStore::word_of(r)] >> kTileMargin;
    out = {};
    recoder.recode(std::span(in).first(own), std::span(out).first(planes.size()));
    for (std::size_t p = 0; p < planes.size(); p++) planes[p][r] = out[p];
  }
}

std::int64_t CodedTilePool::bytes_per_state() const {
  const int planes = planes_ ? 1 + own_planes_ : 1;
  return planes * static_cast<std::int64_t>(StateStore::kWords) * 8;
}

std::int64_t CodedTilePool::bytes() const {
  return CpuTilePool::bytes() + (planes_ ? planes_->bytes() : 0);
}

void CodedTilePool::prepare(std::size_t /*tiles*/, int /*generations*/) {
  if (planes_) planes_->reserve(states().end());
}

void CodedTilePool::visit_tiles(const TileVisit& visit, std::size_t lane, const TileId* list,
                                std::size_t count) {
  coded_tile_visit(tiles(), visit, this->lane(lane), scratch_[lane].get(), list, count);
}

TileState CodedTilePool::peek_tile(const TileVisit& visit, TileId tile) {
  return coded_tile_peek(tiles(), visit, scratch_.front().get(), tile);
}

}  // namespace tessera
