#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/cpu/coded_backend.h"
#include "backends/cpu/crew.h"
#include "backends/cpu/range_tile_pool.h"
#include "core/rules/range_rule.h"

namespace tessera {

/// Steps rules that count neighbours of any shape, also two in turns: for each run of neighbours of
/// a row the difference of two sums along that row. Tables say what follows from a count.
class SpanBackend final : public CodedBackend {
 public:
  SpanBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning);
  static std::int64_t bytes_needed(const BackendSpec& spec);
  /// Of a spec with a rule of longer range: the rule that does not count its neighbours, and so is
  /// not stepped in turns with it. Nothing where this backend steps the spec.
  static std::optional<Rule> refusal(const BackendSpec& spec);

  std::unique_ptr<TilePool> tiles() override { return RangeTilePool::of(spec(), info().tuning); }

 private:
  // What counts under a rule, and what follows.
  struct Counting {
    explicit Counting(const RangeRule& rule);
    int radius;
    std::vector<RangeSpan> spans;
    std::vector<std::uint8_t> born, stays;  // by the count
  };

  void do_step(std::int64_t generations) override;
  BitGrid cells_of(int plane, const Rect& rect) const override;
  void set_cells(int plane, const Cell& at, const BitGrid& cells) override;

  void step_rows(const Counting& counting, std::int64_t first, std::int64_t last);
  void sum_row(int radius, std::int64_t y, std::int32_t* sums) const;
  void write_row(const Counting& counting, std::int64_t y, const std::int32_t* counts);

  std::vector<Counting> countings_;  // of the rule, and of the odd one where there is one
  int threads_;
  std::vector<BitGrid> planes_, next_;  // bits of the states
  std::unique_ptr<Crew> crew_;          // made when first used
};

}  // namespace tessera
