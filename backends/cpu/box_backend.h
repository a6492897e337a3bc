#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "backends/cpu/box_layout.h"
#include "backends/cpu/coded_backend.h"
#include "backends/cpu/crew.h"
#include "backends/cpu/end_gates.h"

namespace tessera {

/// Steps rules that count all cells of a square of any range, with as many gates for a large square
/// as for a small one, but for a few more bits: sums of rows and of boxes run along, bit-sliced
/// (box_kernel.h), and the gates that follow are interpreted over rows of a block (EndGates). Bands
/// of rows or blocks of columns over threads.
class BoxBackend final : public CodedBackend {
 public:
  BoxBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning)
      : BoxBackend(spec, std::move(info), tuning, EndGates(spec.rule)) {}

  /// Whether a rule is one of those.
  static bool takes(const Rule& rule);
  /// Of a grid under a rule that it takes; nothing where that is more than any machine has.
  static std::optional<std::int64_t> bytes_needed(const BackendSpec& spec);
  /// Gates per word of cells.
  int cost() const;

 private:
  using Words = hwy::AlignedFreeUniquePtr<std::uint64_t[]>;

  BoxBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning, EndGates end);

  void do_step(std::int64_t generations) override;
  BitGrid cells_of(int plane, const Rect& rect) const override;
  void set_cells(int plane, const Cell& at, const BitGrid& cells) override;

  void share(int tasks, const std::function<void(int)>& task);
  void step_once(int tasks);
  void step_task(int task, int tasks) const;
  void step_block(std::int64_t first_row, std::int64_t last_row, std::int64_t first_column,
                  std::int64_t last_column, std::uint64_t* scratch) const;

  int radius_;
  int row_bits_, box_bits_;
  BoxLayout layout_;
  BoxFunction add_row_;
  EndGates end_;
  std::int64_t block_;   // most columns of a block
  std::int64_t stride_;  // words of a plane of sums, and of what gates make
  int threads_;
  std::vector<Words> planes_, spare_;  // as EndGates has them
  std::vector<Words> scratch_;         // of each task
  std::unique_ptr<Crew> crew_;         // made when first used
};

}  // namespace tessera
