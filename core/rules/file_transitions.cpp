#include "core/rules/file_transitions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>

namespace tessera {
namespace {

using Choice = std::bitset<kMostStates>;

// The lines of a table written out: one for each value of bound variables and each symmetric form.
// Lines that agree from some cell on share what is left of them, so that these are numbers, and
// what is known is the next state where none of the lines fits any more, followed by what is left
// of those that may still fit, in their order. Where a line is left that fits whatever follows, its
// next state stands first, and no line behind it counts.
class TableTransitions final : public FileTransitions {
 public:
  explicit TableTransitions(const FileRule& rule)
      : cells_(cells_seen(rule.table->neighbourhood)),
        states_(rule.states),
        table_(*rule.table),
        rests_(cells_.size()) {
    for (int s = 0; s < states_; s++) all_.set(static_cast<std::size_t>(s));
    for (const TableLine& line : table_.lines) write_out(line);
    numbers_ = {};
    choice_numbers_.clear();
  }

  const std::vector<SeenCell>& cells() const override { return cells_; }

  Known start() const override {
    Known known{0};
    known.insert(known.end(), first_.begin(), first_.end());
    return known;
  }

  Known read(const Known& known, std::size_t cell, int state) const override {
    const bool last = cell + 1 == cells_.size();
    // The cell in the middle is read first and stays as it is where nothing fits.
    Known next{cell == 0 ? static_cast<std::uint32_t>(state) : known.front()};
    std::vector<bool> seen;
    if (!last) seen.resize(rests_[cell + 1].size());
    for (std::size_t i = 1; i < known.size(); i++) {
      const Rest& rest = rests_[cell][known[i]];
      if (!choices_[rest.choice][static_cast<std::size_t>(state)]) continue;
      if (last) return {rest.next};
      if (const int sure = rests_[cell + 1][rest.next].sure; sure >= 0) {
        next.front() = static_cast<std::uint32_t>(sure);
        break;
      }
      if (seen[rest.next]) continue;
      seen[rest.next] = true;
      next.push_back(rest.next);
    }
    // Lines at the end that change nothing.
    while (!last && next.size() > 1 && rests_[cell + 1][next.back()].only == int(next.front()))
      next.pop_back();
    return next;
  }

 private:
  // What is left of a line from a cell on: the states of this cell, and the number of the rest
  // behind it, or the next state.
  struct Rest {
    std::uint32_t choice = 0, next = 0;
    int sure = -1;  // the next state where all else fits anything
    int only = -1;  // the next state
  };

  std::uint32_t choice_number(const Choice& choice) {
    const auto [at, fresh] =
        choice_numbers_.try_emplace(choice, static_cast<std::uint32_t>(choices_.size()));
    if (fresh) choices_.push_back(choice);
    return at->second;
  }

  std::uint32_t rest_number(std::size_t cell, std::uint32_t choice, std::uint32_t next) {
    const std::uint64_t key = std::uint64_t{choice} << 32 | next;
    std::vector<Rest>& rests = rests_[cell];
    const auto [at, fresh] =
        numbers_[cell].try_emplace(key, static_cast<std::uint32_t>(rests.size()));
    if (!fresh) return at->second;
    Rest rest{choice, next};
    const bool last = cell + 1 == cells_.size();
    const int sure = last ? static_cast<int>(next) : rests_[cell + 1][next].sure;
    rest.only = last ? static_cast<int>(next) : rests_[cell + 1][next].only;
    if (choices_[choice] == all_) rest.sure = sure;
    rests.push_back(rest);
    return at->second;
  }

  // One line with its variables' values: the choices of all cells in one arrangement.
  void add(const std::array<std::uint32_t, TableLine::kMostInputs>& line, int state) {
    auto rest = static_cast<std::uint32_t>(state);
    for (std::size_t cell = cells_.size(); cell-- > 0;) rest = rest_number(cell, line[cell], rest);
    if (first_seen_.size() <= rest) first_seen_.resize(rest + 1);
    if (first_seen_[rest]) return;
    first_seen_[rest] = true;
    first_.push_back(rest);
  }

  void write_out(const TableLine& line) {
    std::array<const StateChoice*, TableLine::kMostBound> variables{};
    for (std::size_t i = 0; i < cells_.size(); i++) {
      if (line.bound[i] >= 0)
        variables[static_cast<std::size_t>(line.bound[i])] = &table_.choices[line.choice[i]];
    }
    const auto count = static_cast<std::size_t>(line.bound_count);
    std::array<std::size_t, TableLine::kMostBound> at{};
    while (true) {
      std::array<std::uint32_t, TableLine::kMostInputs> choices{};
      for (std::size_t i = 0; i < cells_.size(); i++) {
        Choice choice = table_.choices[line.choice[i]].set;
        if (line.bound[i] >= 0) {
          const auto b = static_cast<std::size_t>(line.bound[i]);
          choice.reset();
          choice.set(variables[b]->order[at[b]]);
        }
        choices[i] = choice_number(choice);
      }
      const auto n = static_cast<std::size_t>(std::max<int>(line.next_bound, 0));
      arrange(choices, line.next_bound < 0 ? line.next : variables[n]->order[at[n]]);
      std::size_t b = 0;
      while (b < count && ++at[b] == variables[b]->order.size()) at[b++] = 0;
      if (b == count) return;
    }
  }

  // All symmetric forms of a line.
  void arrange(std::array<std::uint32_t, TableLine::kMostInputs> line, int state) {
    const auto begin = line.begin() + 1, end = line.begin() + std::ssize(cells_);
    const FileSymmetry& symmetry = table_.symmetry;
    if (symmetry.permuted) {
      std::sort(begin, end);
      do add(line, state);
      while (std::next_permutation(begin, end));
      return;
    }
    const auto step = (end - begin) / symmetry.rotations;
    for (int r = 0; r < symmetry.rotations; r++) {
      add(line, state);
      if (symmetry.reflected) {
        auto mirrored = line;
        std::reverse(mirrored.begin() + 1, mirrored.begin() + std::ssize(cells_));
        // A ring that is read backwards begins with its last cell; N stays N.
        if (cells_.size() > 3)
          std::rotate(mirrored.begin() + 1, mirrored.begin() + std::ssize(cells_) - 1,
                      mirrored.begin() + std::ssize(cells_));
        add(mirrored, state);
      }
      std::rotate(begin, begin + step, end);
    }
  }

  std::vector<SeenCell> cells_;
  int states_;
  const RuleTable& table_;
  Choice all_;
  std::vector<Choice> choices_;
  std::vector<std::vector<Rest>> rests_;  // by the cell from which on they are
  std::vector<std::uint32_t> first_;      // whole lines in their order
  std::vector<bool> first_seen_;
  std::unordered_map<Choice, std::uint32_t> choice_numbers_;
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, TableLine::kMostInputs> numbers_;
};

// A tree is such an automaton: what is known is a node.
class TreeTransitions final : public FileTransitions {
 public:
  explicit TreeTransitions(const FileRule& rule) : tree_(*rule.tree), states_(rule.states) {
    if (tree_.neighbourhood == FileNeighbourhood::moore)
      cells_ = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    for (const SeenCell cell : {SeenCell{0, -1}, {-1, 0}, {1, 0}, {0, 1}, {0, 0}})
      cells_.push_back(cell);
  }

  const std::vector<SeenCell>& cells() const override { return cells_; }
  Known start() const override {
    return {static_cast<std::uint32_t>(tree_.children.size() / states() - 1)};
  }
  Known read(const Known& known, std::size_t /*cell*/, int state) const override {
    return {tree_.children[known.front() * states() + static_cast<std::size_t>(state)]};
  }

 private:
  std::size_t states() const { return static_cast<std::size_t>(states_); }

  const RuleTree& tree_;
  int states_;
  std::vector<SeenCell> cells_;
};

}  // namespace

std::unique_ptr<FileTransitions> file_transitions(const FileRule& rule) {
  if (rule.tree) return std::make_unique<TreeTransitions>(rule);
  return std::make_unique<TableTransitions>(rule);
}

}  // namespace tessera
