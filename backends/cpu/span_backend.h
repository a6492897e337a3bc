#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/coded_backend.h"
#include "backends/cpu/crew.h"
#include "backends/cpu/range_tile_pool.h"
#include "core/rules/range_rule.h"

namespace tessera {

/// Steps rules that count neighbours of any shape: for each run of neighbours of a row the
/// difference of two sums along that row. Tables say what follows from a count.
class SpanBackend final : public CodedBackend {
 public:
  SpanBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning);
  static std::int64_t bytes_needed(const BackendSpec& spec);

  std::unique_ptr<TilePool> tiles() override { return RangeTilePool::of(spec(), info().tuning); }

 private:
  void do_step(std::int64_t generations) override;
  BitGrid cells_of(int plane, const Rect& rect) const override;
  void set_cells(int plane, const Cell& at, const BitGrid& cells) override;

  void step_rows(std::int64_t first, std::int64_t last);
  void sum_row(std::int64_t y, std::int32_t* sums) const;
  void write_row(std::int64_t y, const std::int32_t* counts);

  std::vector<RangeSpan> spans_;
  std::vector<std::uint8_t> born_, stays_;  // by the count
  int radius_;
  int threads_;
  std::vector<BitGrid> planes_, next_;  // bits of the states
  std::unique_ptr<Crew> crew_;          // made when first used
};

}  // namespace tessera
