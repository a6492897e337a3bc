#include "backends/cpu/program_tile_pool.h"

#include <utility>

namespace tessera {

ProgramTilePool::ProgramTilePool(const BackendSpec& spec, int threads, std::int64_t patience)
    : ProgramTilePool(spec, threads, std::make_unique<RulePrograms>(spec, patience)) {}

ProgramTilePool::ProgramTilePool(const BackendSpec& spec, int threads,
                                 std::unique_ptr<RulePrograms> programs)
    : CodedTilePool(spec, programs->of(false), threads),
      programs_(std::move(programs)),
      windows_(*programs_) {
  use(*windows_);
}

void ProgramTilePool::prepare(std::size_t tiles, int generations) {
  if (programs_->search_when_due()) use(windows_.emplace(*programs_));
  programs_->did(static_cast<std::int64_t>(tiles * kWindowWords) * generations *
                 (programs_->of(false).cost() + programs_->of(true).cost()) / 2);
  CodedTilePool::prepare(tiles, generations);
}

}  // namespace tessera
