#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/block_stepper.h"
#include "backends/cpu/box_layout.h"
#include "backends/cpu/coded_backend.h"
#include "backends/cpu/crew.h"
#include "backends/cpu/end_gates.h"
#include "backends/cpu/range_tile_pool.h"

namespace tessera {

/// Steps rules of longer range with counts that run along, bit-sliced, so that a large
/// neighbourhood takes few gates more than a small one (BlockStepper). Bands of rows or blocks of
/// columns over threads.
class BoxBackend final : public CodedBackend {
 public:
  /// `lanes`: 64-bit words of the vectors that machine code is made for; other numbers than 4 and 8
  /// mean none.
  BoxBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning, int lanes)
      : BoxBackend(spec, std::move(info), tuning, lanes, EndProgram(spec.rule)) {}

  /// Whether it steps a rule: squares of which all cells count, and with machine code any
  /// neighbourhood with edges that are not too long.
  static bool takes(const BackendSpec& spec, int lanes);
  /// Of a grid under a rule that it takes; nothing where that is more than any machine has.
  static std::optional<std::int64_t> bytes_needed(const BackendSpec& spec);
  /// Gates per word of cells.
  int cost() const { return stepper_->cost(); }

  std::unique_ptr<TilePool> tiles() override { return RangeTilePool::of(spec(), info().tuning); }

 private:
  BoxBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning, int lanes,
             EndProgram end);

  void do_step(std::int64_t generations) override;
  BitGrid cells_of(int plane, const Rect& rect) const override;
  void set_cells(int plane, const Cell& at, const BitGrid& cells) override;

  void share(int tasks, const std::function<void(int)>& task);
  void step_once(int tasks);
  void step_task(int task, int tasks) const;

  BoxLayout layout_;
  EndProgram end_;
  std::unique_ptr<const BlockStepper> stepper_;
  int threads_;
  BoxPlanes planes_, spare_;    // those of EndProgram::states, and those that gates make
  BoxPlanes scratch_;           // of each task
  std::unique_ptr<Crew> crew_;  // made when first used
};

}  // namespace tessera
