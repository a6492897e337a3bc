#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/changed_blocks.h"
#include "backends/cpu/coded_backend.h"
#include "backends/cpu/crew.h"
#include "core/rules/transition_graph.h"

namespace tessera {

/// Steps rules of files: a byte per cell, and a walk through the rule's TransitionGraph for each,
/// for blocks of cells at a time, but for those at rest (ChangedBlocks). Bands of rows over
/// threads.
class TableBackend final : public CodedBackend {
 public:
  TableBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning);
  static std::int64_t bytes_needed(const BackendSpec& spec);

 private:
  void do_step(std::int64_t generations) override;
  BitGrid cells_of(int plane, const Rect& rect) const override;
  BitGrid live_cells(const Rect& rect) const override;
  void set_cells(int plane, const Cell& at, const BitGrid& cells) override;

  template <class Ones>
  BitGrid packed(const Rect& rect, const Ones& ones) const;

  void write_ring();
  int tasks() const;
  void step_once(std::int64_t g, int tasks);
  void step_rows(TransitionGraph& graph, std::int64_t first, std::int64_t last);
  void step_block(TransitionGraph& graph, std::int64_t x, std::int64_t y);

  // Of the grid with a ring of one cell around it; -1 and the sides are the ring's.
  std::uint8_t* row(std::vector<std::uint8_t>& cells, std::int64_t y) const {
    return cells.data() + (y + 1) * pitch_ + 1;
  }
  const std::uint8_t* row(const std::vector<std::uint8_t>& cells, std::int64_t y) const {
    return cells.data() + (y + 1) * pitch_ + 1;
  }

  std::shared_ptr<TransitionGraph> even_, odd_;  // the same where no rules take turns
  int threads_;
  std::int64_t pitch_;
  // Of a block that has not changed both hold the same.
  std::vector<std::uint8_t> cells_, next_;
  ChangedBlocks changed_;
  std::unique_ptr<Crew> crew_;  // made when first used
};

}  // namespace tessera
