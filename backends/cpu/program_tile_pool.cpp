#include "backends/cpu/program_tile_pool.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <utility>

#include "backends/cpu/state_recoder.h"

namespace tessera {

ProgramTilePool::ProgramTilePool(const BackendSpec& spec, int threads, std::int64_t patience)
    : CpuTilePool(spec.rule, spec.max_memory, threads),
      rule_planes_(spec.rule.planes()),
      programs_(spec, patience) {
  const StateProgram& program = programs_.of(false);
  code_of_ = program.codes;
  code_of_.resize(std::size_t{1} << rule_planes_);
  state_of_ = states_by_code(program);
  if (program.planes > 1) {
    planes_.emplace(program.planes);
    planes_->reserve(states().end());
  }
  make_plans();
}

// After a change of the programs.
void ProgramTilePool::make_plans() {
  plans_.clear();
  for (int odd = 0; odd <= static_cast<int>(programs_.alternate()); odd++)
    plans_.emplace_back(programs_.of(odd != 0), kTileBlock, kTileBlock, true);
  const std::size_t words = program_scratch_words(program());
  std::vector<Scratch> scratch;
  for (std::size_t i = 0; i < lanes(); i++) {
    scratch.push_back(hwy::AllocateAligned<std::uint64_t>(words));
    if (!scratch.back()) throw std::bad_alloc();
    std::fill_n(scratch.back().get(), words, 0);
  }
  scratch_ = std::move(scratch);
}

TileProgram ProgramTilePool::program() {
  return {{{{&programs_.of(false), &plans_.front()}, {&programs_.of(true), &plans_.back()}}},
          planes_ ? &*planes_ : nullptr};
}

TileState ProgramTilePool::put(const TileRows& rows) {
  std::vector<TileRows> planes(static_cast<std::size_t>(rule_planes_));
  planes.front() = rows;
  return put_planes(planes);
}

TileState ProgramTilePool::put_planes(std::span<const TileRows> planes) {
  if (!planes_) return CpuTilePool::put(planes.front());
  TileRows live{};
  for (const TileRows& plane : planes) {
    for (std::size_t r = 0; r < live.size(); r++) live[r] |= plane[r];
  }
  states().reserve(1, 1);
  planes_->reserve(states().end());
  const TileState state = CpuTilePool::put(live);
  if (!state) return 0;
  std::uint64_t* const to = planes_->words(state);
  const auto own = static_cast<std::size_t>(programs_.of(false).planes);
  StateRecoder recoder(code_of_);
  std::array<std::uint64_t, kMostProgramPlanes> in{}, out{};
  for (std::size_t r = 0; r < live.size(); r++) {
    for (std::size_t p = 0; p < planes.size(); p++) in[p] = planes[p][r] << kTileMargin;
    out = {};
    recoder.recode(std::span(in).first(planes.size()), std::span(out).first(own));
    for (std::size_t p = 0; p < own; p++)
      to[p * TilePlanes::kWords + StateStore::word_of(r)] = out[p];
  }
  return state;
}

void ProgramTilePool::get_planes(TileState state, std::span<TileRows> planes) const {
  if (!planes_) return get(state, planes.front());
  const std::uint64_t* const from = planes_->words(state);
  const auto own = static_cast<std::size_t>(programs_.of(false).planes);
  StateRecoder recoder(state_of_);
  std::array<std::uint64_t, kMostProgramPlanes> in{}, out{};
  for (std::size_t r = 0; r < kTileSide; r++) {
    for (std::size_t p = 0; p < own; p++)
      in[p] = from[p * TilePlanes::kWords + StateStore::word_of(r)] >> kTileMargin;
    out = {};
    recoder.recode(std::span(in).first(own), std::span(out).first(planes.size()));
    for (std::size_t p = 0; p < planes.size(); p++) planes[p][r] = out[p];
  }
}

std::int64_t ProgramTilePool::bytes_per_state() const {
  const int planes = planes_ ? 1 + programs_.of(false).planes : 1;
  return planes * static_cast<std::int64_t>(StateStore::kWords) * 8;
}

std::int64_t ProgramTilePool::bytes() const {
  return CpuTilePool::bytes() + (planes_ ? planes_->bytes() : 0);
}

void ProgramTilePool::prepare(std::size_t tiles, int generations) {
  if (programs_.search_when_due()) make_plans();
  programs_.did(static_cast<std::int64_t>(tiles) * generations * kTileBlock * kTileBlock *
                (programs_.of(false).cost() + programs_.of(true).cost()) / 2);
  if (planes_) planes_->reserve(states().end());
}

void ProgramTilePool::visit_tiles(const TileVisit& visit, std::size_t lane, const TileId* list,
                                  std::size_t count) {
  program_tile_visit(program(), visit, this->lane(lane), scratch_[lane].get(), list, count);
}

TileState ProgramTilePool::peek_tile(const TileVisit& visit, TileId tile) {
  return program_tile_peek(program(), visit, scratch_.front().get(), tile);
}

}  // namespace tessera
