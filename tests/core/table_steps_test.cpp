// Steps by a copy of a rule's graph, on a device that is the host.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/geometry.h"
#include "core/cells/soup.h"
#include "core/rules/file_rule.h"
#include "core/stepping/table_steps.h"

using namespace tessera;

namespace {

constexpr std::int64_t kWidth = 70, kHeight = 50;  // a torus
using Cells = std::vector<std::uint8_t>;

// The states that a cell sees, in the order of the graph.
std::vector<std::uint8_t> seen_by(const TransitionGraph& graph, const Cells& cells, std::int64_t x,
                                  std::int64_t y) {
  std::vector<std::uint8_t> out;
  for (const auto& [dx, dy] : graph.cells()) {
    const std::int64_t column = (x + dx + kWidth) % kWidth, row = (y + dy + kHeight) % kHeight;
    out.push_back(cells[static_cast<std::size_t>(row * kWidth + column)]);
  }
  return out;
}

class HostTable final : public TableDevice {
 public:
  HostTable(const TransitionGraph& graph, Cells cells)
      : graph_(graph), buffers_{cells, Cells(cells.size())} {}

  const Cells& cells() const { return buffers_[present_]; }

  std::int64_t words() const override { return ceil_div(kWidth, std::int64_t{32}) * kHeight; }
  void make_room(int, std::int64_t entries) override {
    rooms++;
    entries_.assign(static_cast<std::size_t>(entries), 0);
  }
  void send(int, const TransitionGraph::Piece& piece) override {
    REQUIRE(piece.first + piece.entries.size() <= entries_.size());
    std::copy(piece.entries.begin(), piece.entries.end(), entries_.begin() + piece.first);
  }
  void begin_steps() override { stop_ = {}; }
  void queue(int, std::uint32_t generation, std::int64_t first, std::int64_t end) override {
    if (stop_.generation < generation) return;
    const Cells& from = buffers_[(present_ + generation) % 2];
    Cells& to = buffers_[(present_ + generation + 1) % 2];
    for (std::int64_t word = first; word < end; word++) {
      const std::int64_t y = word % kHeight, left = 32 * (word / kHeight);
      for (std::int64_t x = left; x < std::min(left + 32, kWidth); x++)
        to[static_cast<std::size_t>(y * kWidth + x)] = next(from, x, y, generation);
    }
  }
  Stop stopped() override { return stop_; }
  void put(const std::vector<UnknownCell>&) override { puts++; }
  void advance(std::int64_t generations) override {
    present_ = (present_ + static_cast<std::size_t>(generations)) % 2;
  }

  int rooms = 0, puts = 0;

 private:
  std::uint8_t next(const Cells& from, std::int64_t x, std::int64_t y, std::uint32_t generation) {
    const std::vector<std::uint8_t> states = seen_by(graph_, from, x, y);
    std::uint32_t node = graph_.root();
    for (const TransitionGraph::Level& level : graph_.levels()) {
      std::uint32_t entry = 0;
      for (std::size_t i = level.first; i < level.first + level.count; i++)
        entry = entry * static_cast<std::uint32_t>(graph_.states()) + states[i];
      REQUIRE(node + entry < entries_.size());
      node = entries_[node + entry];
    }
    if (node != 0) return static_cast<std::uint8_t>(node - 1);
    stop_.generation = generation;
    UnknownCell cell{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), {}};
    for (std::size_t i = 0; i < states.size(); i++)
      cell.states[i / 4] |= static_cast<std::uint32_t>(states[i]) << 8 * (i % 4);
    // A few of them, so that many rounds are needed.
    if (stop_.cells.size() < 300) stop_.cells.push_back(cell);
    return 0;
  }

  const TransitionGraph& graph_;
  std::vector<std::uint32_t> entries_;
  std::array<Cells, 2> buffers_;
  std::size_t present_ = 0;
  Stop stop_;
};

}  // namespace

TEST_CASE("a device that lacks entries gets them, and works nothing out beside its copy") {
  // Eight states, and lines of which each fits half of them in every cell.
  std::string text = "@TABLE\nn_states:8\nneighborhood:Moore\nsymmetries:none\n";
  for (int cell = 0; cell < 9; cell++) {
    for (int set = 0; set < 8; set++) {
      text += fmt::format("var c{}s{}={{{},{},{},{}}}\n", cell, set, set, (set + 1) % 8,
                          (set + 3) % 8, (set + 4 + cell % 2) % 8);
    }
  }
  for (int line = 0; line < 24; line++) {
    for (int cell = 0; cell < 9; cell++)
      text += fmt::format("c{}s{},", cell, (line * (cell + 3) + line / 8) % 8);
    text += fmt::format("{}\n", line % 8);
  }
  const BackendSpec spec{kWidth, kHeight, Boundary::torus,
                         kept_file_rule(parse_rule_file(text, "eight.rule")), 0};
  TransitionGraph judge(*spec.rule.file);
  const CellGrid soup = make_soup_cells({1, 40000, 8}, kWidth, kHeight, spec.rule.planes());
  Cells cells;
  for (std::int64_t y = 0; y < kHeight; y++) {
    for (std::int64_t x = 0; x < kWidth; x++)
      cells.push_back(static_cast<std::uint8_t>(soup.state(x, y)));
  }
  TableSteps steps(spec);
  HostTable device(steps.graph(0), cells);
  for (const std::int64_t generations : {1, 0, 2, 23}) {
    steps.step(device, generations, false);
    for (std::int64_t g = 0; g < generations; g++) {
      Cells next;
      for (std::int64_t y = 0; y < kHeight; y++) {
        for (std::int64_t x = 0; x < kWidth; x++)
          next.push_back(judge.next(seen_by(judge, cells, x, y).data()));
      }
      cells = next;
    }
    CHECK(device.cells() == cells);
  }
  CHECK(device.puts == 0);
  CHECK(device.rooms > 1);  // the copy has grown
}
