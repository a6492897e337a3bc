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
constexpr std::int64_t kBlock = ChangedBlocks::kCells;
// Blocks that are worth a task.
constexpr std::int64_t kTaskBlocks = (1 << 14) / kBlock;
// Generations too small to be shared after which the other threads may sleep.
constexpr int kAlonePatience = 64;
// 1 in each byte.
constexpr std::uint64_t kOnes = 0x0101010101010101;

}  // namespace

TableBackend::TableBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning)
    : CodedBackend(spec, GateRunner::tuned(std::move(info), tuning)),
      even_(TransitionGraph::of(*spec.rule.file)),
      odd_(spec.odd_rule ? TransitionGraph::of(*spec.odd_rule->file) : even_),
      threads_(usable_threads(tuning)),
      pitch_(spec.width + 2),
      cells_(static_cast<std::size_t>(pitch_ * (spec.height + 2))),
      next_(cells_.size()),
      changed_(spec.width, spec.height) {
  // An empty grid stays so, or not.
  if (spec.rule.has_b0() || spec.odd_rule) changed_.mark_all();
}

std::int64_t TableBackend::bytes_needed(const BackendSpec& spec) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  if (spec.width >= kMost / (3 * (spec.height + 2)) - 16) return kMost;
  return 2 * (spec.width + 2) * (spec.height + 2) +
         ChangedBlocks::bytes_needed(spec.width, spec.height);
}

// `ones` makes 1 or 0 of each of eight bytes.
template <class Ones>
BitGrid TableBackend::packed(const Rect& rect, const Ones& ones) const {
  BitGrid out(rect.width, rect.height);
  for (std::int64_t y = 0; y < rect.height; y++) {
    const std::uint8_t* const from = row(cells_, rect.y + y) + rect.x;
    const auto to = out.row(y);
    for (std::int64_t x = 0; x < rect.width; x += 8) {
      std::uint64_t eight = 0;
      const std::int64_t count = std::min<std::int64_t>(8, rect.width - x);
      if (count == 8) {  // one load
        for (int i = 0; i < 8; i++) eight |= std::uint64_t{from[x + i]} << 8 * i;
      } else {
        for (int i = 0; i < count; i++) eight |= std::uint64_t{from[x + i]} << 8 * i;
      }
      // The product's top byte has bit i from byte i, and from no other one.
      const std::uint64_t bits = ones(eight) * 0x0102040810204080 >> 56;
      to[static_cast<std::size_t>(x / 64)] |= bits << x % 64;
    }
  }
  return out;
}

BitGrid TableBackend::cells_of(int plane, const Rect& rect) const {
  return packed(rect, [&](std::uint64_t eight) { return eight >> plane & kOnes; });
}

BitGrid TableBackend::live_cells(const Rect& rect) const {
  return packed(rect, [](std::uint64_t eight) {
    // The seven low bits carry into the highest one unless they are 0.
    return (((eight & 0x7f * kOnes) + 0x7f * kOnes) | eight) >> 7 & kOnes;
  });
}

void TableBackend::set_cells(int plane, const Cell& at, const BitGrid& cells) {
  const unsigned bit = 1u << plane;
  for (std::int64_t y = 0; y < cells.height(); y++) {
    std::uint8_t* const to = row(cells_, at.y + y) + at.x;
    const auto from = cells.row(y);
    for (std::int64_t x = 0; x < cells.width(); x++) {
      const bool set = from[static_cast<std::size_t>(x / 64)] >> x % 64 & 1;
      const auto state = static_cast<std::uint8_t>(set ? to[x] | bit : to[x] & ~bit);
      if (state == to[x]) continue;
      to[x] = state;
      changed_.mark(at.x + x, at.y + y);
    }
  }
}

void TableBackend::write_ring() {
  // Dead from the beginning.
  if (spec().boundary == Boundary::plane) return;
  const Surroundings around(spec());
  const std::int64_t width = spec().width, height = spec().height;
  const auto write = [&](std::int64_t x, std::int64_t y) {
    const std::optional<Cell> seen = around.cell({x, y});
    const std::uint8_t state = seen ? row(cells_, seen->y)[seen->x] : std::uint8_t{0};
    row(cells_, y)[x] = state;
    if (state != row(next_, y)[x]) changed_.mark(x, y);
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

// What the next generation is worth.
int TableBackend::tasks() const {
  // A changed block wakes those around it.
  const std::int64_t blocks =
      std::min(9 * changed_.total(), spec().height * ceil_div(spec().width, kBlock));
  return static_cast<int>(std::clamp<std::int64_t>(
      blocks / kTaskBlocks, 1, std::min<std::int64_t>(threads_, spec().height)));
}

void TableBackend::do_step(std::int64_t generations) {
  std::int64_t g = 0;
  while (g < generations) {
    if (tasks() == 1) {
      step_once(g++, 1);
      continue;
    }
    if (!crew_) crew_ = std::make_unique<Crew>(threads_);
    crew_->gather([&] {
      for (int alone = 0; g < generations && alone < kAlonePatience; g++) {
        const int now = tasks();
        alone = now == 1 ? alone + 1 : 0;
        step_once(g, now);
      }
    });
  }
}

void TableBackend::step_once(std::int64_t g, int tasks) {
  TransitionGraph& graph = spec().odd_rule && &rule_of(g) != &spec().rule ? *odd_ : *even_;
  write_ring();
  if (tasks == 1) {
    step_rows(graph, 0, spec().height);
  } else {
    const std::vector<std::int64_t> begins = changed_.shares(tasks);
    crew_->share(tasks, [&](int task) {
      const auto at = static_cast<std::size_t>(task);
      step_rows(graph, begins[at], begins[at + 1]);
    });
  }
  std::swap(cells_, next_);
  changed_.advance();
  // What the one rule leaves alone the other one may change.
  if (spec().odd_rule) changed_.mark_all();
}

void TableBackend::step_rows(TransitionGraph& graph, std::int64_t first, std::int64_t last) {
  for (std::int64_t y = first; y < last; y++) {
    changed_.begin_row(y);
    if (!changed_.near(y)) continue;
    const std::uint8_t *const from = row(cells_, y), *const to = row(next_, y);
    for (std::int64_t x = 0; x < spec().width; x += kBlock) {
      if (!changed_.near(x / kBlock, y)) continue;
      step_block(graph, x, y);
      if (!std::equal(to + x, to + std::min(x + kBlock, spec().width), from + x))
        changed_.change(x / kBlock, y);
    }
  }
}

void TableBackend::step_block(TransitionGraph& graph, std::int64_t x, std::int64_t y) {
  const std::vector<SeenCell>& cells = graph.cells();
  const auto states = static_cast<std::uint32_t>(graph.states());
  std::array<const std::uint8_t*, TableLine::kMostInputs> seen{};
  std::array<std::uint32_t, kBlock> nodes{};
  std::array<std::uint16_t, kBlock> entries{};
  std::uint8_t* const to = row(next_, y) + x;
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
      to[i] = static_cast<std::uint8_t>(nodes[i] - 1);
      continue;
    }
    std::array<std::uint8_t, TableLine::kMostInputs> around{};
    for (std::size_t c = 0; c < cells.size(); c++) around[c] = seen[c][i];
    to[i] = graph.next(around.data());
  }
}

}  // namespace tessera
