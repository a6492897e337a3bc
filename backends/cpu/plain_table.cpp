#include "backends/cpu/plain_table.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {
namespace {

// Compares a line with cells in one arrangement after the other, and keeps the fit whose bound
// variables come first.
class Fit {
 public:
  Fit(const RuleTable& table, const TableLine& line) : table_(table), line_(line) {}

  // `cells`: the middle one, then its neighbours in the order of a line.
  void try_cells(const std::vector<int>& cells) {
    std::array<int, TableLine::kMostBound> values{};
    values.fill(-1);
    std::uint64_t rank = 0;  // the last variable counts most
    for (std::size_t i = 0; i < cells.size(); i++) {
      const StateChoice& choice = table_.choices[line_.choice[i]];
      if (!choice.set[static_cast<std::size_t>(cells[i])]) return;
      if (line_.bound[i] < 0) continue;
      const auto b = static_cast<std::size_t>(line_.bound[i]);
      if (values[b] == cells[i]) continue;
      if (values[b] >= 0) return;
      values[b] = cells[i];
      std::uint64_t place = 0;
      while (choice.order[place] != cells[i]) place++;
      rank += place << 8 * b;
    }
    if (next && rank >= rank_) return;
    rank_ = rank;
    next = line_.next_bound < 0 ? line_.next : values[static_cast<std::size_t>(line_.next_bound)];
  }

  // All orders of the neighbours from `from` on.
  void try_orders(std::vector<int>& cells, std::size_t from) {
    if (from == cells.size()) {
      try_cells(cells);
      return;
    }
    std::array<bool, kMostStates> tried{};
    for (std::size_t i = from; i < cells.size(); i++) {
      if (tried[static_cast<std::size_t>(cells[i])]) continue;
      tried[static_cast<std::size_t>(cells[i])] = true;
      if (!table_.choices[line_.choice[from]].set[static_cast<std::size_t>(cells[i])]) continue;
      std::swap(cells[from], cells[i]);
      try_orders(cells, from + 1);
      std::swap(cells[from], cells[i]);
    }
  }

  std::optional<int> next;

 private:
  const RuleTable& table_;
  const TableLine& line_;
  std::uint64_t rank_ = 0;
};

int by_table(const RuleTable& table, std::vector<int> cells) {
  const std::size_t ring = cells.size() - 1;
  const FileSymmetry& symmetry = table.symmetry;
  for (const TableLine& line : table.lines) {
    Fit fit(table, line);
    if (symmetry.permuted) fit.try_orders(cells, 1);
    for (int turn = 0; !symmetry.permuted && turn < symmetry.rotations; turn++) {
      const std::size_t shift =
          ring / static_cast<std::size_t>(symmetry.rotations) * static_cast<std::size_t>(turn);
      std::vector<int> turned{cells[0]}, mirrored{cells[0]};
      for (std::size_t k = 0; k < ring; k++) {
        turned.push_back(cells[1 + (k + shift) % ring]);
        mirrored.push_back(cells[1 + (2 * ring - k + shift) % ring]);
      }
      // Two neighbours are opposite ones: around a ring they would be turned, not mirrored.
      if (ring == 2) mirrored = {cells[0], cells[2], cells[1]};
      fit.try_cells(turned);
      if (symmetry.reflected) fit.try_cells(mirrored);
    }
    if (fit.next) return *fit.next;
  }
  return cells[0];
}

int by_tree(const FileRule& rule, const std::function<int(int, int)>& at) {
  static constexpr SeenCell kMoore[] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}, {0, -1},
                                        {-1, 0},  {1, 0},  {0, 1},  {0, 0}};
  const bool corners = rule.tree->neighbourhood == FileNeighbourhood::moore;
  const auto states = static_cast<std::size_t>(rule.states);
  std::size_t node = rule.tree->children.size() / states - 1;
  for (std::size_t i = corners ? 0 : 4; i < std::size(kMoore); i++) {
    const auto state = static_cast<std::size_t>(at(kMoore[i].dx, kMoore[i].dy));
    node = rule.tree->children[node * states + state];
  }
  return static_cast<int>(node);
}

}  // namespace

int plain_next(const FileRule& rule, const std::function<int(int dx, int dy)>& at) {
  if (rule.tree) return by_tree(rule, at);
  std::vector<int> cells;
  for (const SeenCell& seen : cells_seen(rule.table->neighbourhood))
    cells.push_back(at(seen.dx, seen.dy));
  return by_table(*rule.table, std::move(cells));
}

}  // namespace tessera
