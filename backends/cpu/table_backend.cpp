#include "backends/cpu/table_backend.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "backends/cpu/gate_runner.h"
#include "backends/cpu/usable_threads.h"
#include "core/stepping/surroundings.h"

namespace tessera {
namespace {

// Cells whose walks run side by side, so that each waits for memory while others go on.
constexpr std::int64_t kBlock = 64;
// Cells that are worth a task.
constexpr std::int64_t kTaskCells = 1 << 14;

}  // namespace

TableBackend::TableBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning)
    : CodedBackend(spec, GateRunner::tuned(std::move(info), tuning)),
      even_(TransitionGraph::of(*spec.rule.file)),
      odd_(spec.odd_rule ? TransitionGraph::of(*spec.odd_rule->file) : even_),
      threads_(usable_threads(tuning)),
      pitch_(spec.width + 2),
      cells_(static_cast<std::size_t>(pitch_ * (spec.height + 2))),
      next_(cells_.size()) {}

std::int64_t TableBackend::bytes_needed(const BackendSpec& spec) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  if (spec.width >= kMost / (2 * (spec.height + 2)) - 2) return kMost;
  return 2 * (spec.width + 2) * (spec.height + 2);
}

BitGrid TableBackend::cells_of(int plane, const Rect& rect) const {
  BitGrid out(rect.width, rect.height);
  for (std::int64_t y = 0; y < rect.height; y++) {
    const std::uint8_t* const from = row(cells_, rect.y + y) + rect.x;
    const auto to = out.row(y);
    for (std::int64_t x = 0; x < rect.width; x += 64) {
      std::uint64_t word = 0;
      for (std::int64_t i = 0; i < std::min<std::int64_t>(64, rect.width - x); i++)
        word |= std::uint64_t{from[x + i]} >> plane << 63 >> (63 - i);
      to[static_cast<std::size_t>(x / 64)] = word;
    }
  }
  return out;
}

void TableBackend::set_cells(int plane, const Cell& at, const BitGrid& cells) {
  const unsigned bit = 1u << plane;
  for (std::int64_t y = 0; y < cells.height(); y++) {
    std::uint8_t* const to = row(cells_, at.y + y) + at.x;
    const auto from = cells.row(y);
    for (std::int64_t x = 0; x < cells.width(); x++) {
      const bool set = from[static_cast<std::size_t>(x / 64)] >> x % 64 & 1;
      to[x] = static_cast<std::uint8_t>(set ? to[x] | bit : to[x] & ~bit);
    }
  }
}

void TableBackend::write_ring() {
  const Surroundings around(spec());
  const std::int64_t width = spec().width, height = spec().height;
  const auto write = [&](std::int64_t x, std::int64_t y) {
    const std::optional<Cell> seen = around.cell({x, y});
    row(cells_, y)[x] = seen ? row(cells_, seen->y)[seen->x] : std::uint8_t{0};
  };
  for (std::int64_t x = -1; x <= width; x++) {
    write(x, -1);
    write(x, height);
  }
  for (std::int64_t y = 0; y < height; y++) {
    write(-1, y);
    write(width, y);
  }
}

void TableBackend::do_step(std::int64_t generations) {
  const std::int64_t rows = spec().height;
  const int tasks = static_cast<int>(std::clamp<std::int64_t>(
      rows * spec().width / kTaskCells, 1, std::min<std::int64_t>(threads_, rows)));
  const auto lead = [&] {
    for (std::int64_t g = 0; g < generations; g++) {
      TransitionGraph& graph = spec().odd_rule && &rule_of(g) != &spec().rule ? *odd_ : *even_;
      write_ring();
      const auto band = [&](int task) {
        step_rows(graph, rows * task / tasks, rows * (task + 1) / tasks);
      };
      tasks == 1 ? band(0) : crew_->share(tasks, band);
      std::swap(cells_, next_);
    }
  };
  if (tasks == 1) {
    lead();
  } else {
    if (!crew_) crew_ = std::make_unique<Crew>(threads_);
    crew_->gather(lead);
  }
}

void TableBackend::step_rows(TransitionGraph& graph, std::int64_t first, std::int64_t last) {
  const std::vector<SeenCell>& cells = graph.cells();
  const auto states = static_cast<std::uint32_t>(graph.states());
  std::array<const std::uint8_t*, TableLine::kMostInputs> seen{};
  std::array<std::uint32_t, kBlock> nodes{};
  std::array<std::uint16_t, kBlock> entries{};
  for (std::int64_t y = first; y < last; y++) {
    std::uint8_t* const to = row(next_, y);
    for (std::int64_t x = 0; x < spec().width; x += kBlock) {
      const auto count = static_cast<std::size_t>(std::min(kBlock, spec().width - x));
      for (std::size_t c = 0; c < cells.size(); c++)
        seen[c] = row(std::as_const(cells_), y + cells[c].dy) + x + cells[c].dx;
      nodes.fill(graph.root());
      for (const auto& [begin, length] : graph.levels()) {
        for (std::size_t i = 0; i < count; i++) entries[i] = seen[begin][i];
        for (std::size_t c = begin + 1; c < begin + length; c++) {
          for (std::size_t i = 0; i < count; i++)
            entries[i] = static_cast<std::uint16_t>(entries[i] * states + seen[c][i]);
        }
        for (std::size_t i = 0; i < count; i++) nodes[i] = graph.follow(nodes[i], entries[i]);
      }
      for (std::size_t i = 0; i < count; i++) {
        if (nodes[i] != 0) {
          to[x + static_cast<std::int64_t>(i)] = static_cast<std::uint8_t>(nodes[i] - 1);
          continue;
        }
        std::array<std::uint8_t, TableLine::kMostInputs> around{};
        for (std::size_t c = 0; c < cells.size(); c++) around[c] = seen[c][i];
        to[x + static_cast<std::int64_t>(i)] = graph.next(around.data());
      }
    }
  }
}

}  // namespace tessera
