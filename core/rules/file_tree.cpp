#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/rules/file_table.h"

namespace tessera {
namespace {

class TreeReader {
 public:
  TreeReader(FileLines& lines, FileRule& rule) : lines_(lines), rule_(rule) {}

  void read() {
    while (lines_.next() && !lines_.section()) {
      if (!lines_.line().empty()) read_line();
    }
    if (std::ssize(levels_) != nodes_ || nodes_ == 0) {
      lines_.fail("the tree ended after " + std::to_string(levels_.size()) + " of " +
                  std::to_string(nodes_) + " nodes");
    }
    if (levels_.back() != neighbours_ + 1) {
      lines_.fail("the last node of a tree must have level " + std::to_string(neighbours_ + 1) +
                  "; it has " + std::to_string(int{levels_.back()}));
    }
    rule_.tree = std::move(tree_);
  }

 private:
  void read_line() {
    if (lines_.accept("num_states=")) {
      once(states_ == 0);
      states_ = rule_.states =
          static_cast<int>(lines_.number(lines_.word(""), 2, kMostStates, "the number of states"));
    } else if (lines_.accept("num_neighbors=")) {
      once(neighbours_ == 0);
      neighbours_ = static_cast<int>(lines_.number(lines_.word(""), 4, 8, "num_neighbors"));
      if (neighbours_ != 4 && neighbours_ != 8) lines_.fail("num_neighbors must be 4 or 8");
      tree_.neighbourhood =
          neighbours_ == 4 ? FileNeighbourhood::von_neumann : FileNeighbourhood::moore;
    } else if (lines_.accept("num_nodes=")) {
      once(nodes_ == 0);
      nodes_ = lines_.number(lines_.word(""), 1, kMostNodes, "the number of nodes");
    } else {
      read_node();
    }
  }

  void once(bool first) const {
    if (!first) lines_.fail("this line stands twice");
  }

  void read_node() {
    if (states_ == 0 || neighbours_ == 0 || nodes_ == 0)
      lines_.fail("the lines num_states=, num_neighbors= and num_nodes= must come before nodes");
    const auto number = static_cast<std::int64_t>(levels_.size());
    if (number == nodes_)
      lines_.fail("the tree has more nodes than the " + std::to_string(nodes_) +
                  " of its num_nodes=");
    const auto level = lines_.number(lines_.word(""), 1, neighbours_ + 1, "the level of a node");
    for (int s = 0; s < states_; s++) {
      const std::string_view word = lines_.word("");
      if (word.empty()) {
        lines_.fail("a node has a level and one number for each of the " + std::to_string(states_) +
                    " states");
      }
      const std::int64_t child = level == 1 ? lines_.number(word, 0, states_ - 1, "a next state")
                                            : lines_.number(word, 0, nodes_ - 1, "a node");
      if (level > 1 && (child >= number || levels_[static_cast<std::size_t>(child)] != level - 1)) {
        lines_.fail("a node of level " + std::to_string(level) + " refers to nodes of level " +
                    std::to_string(level - 1) + " above it, and node " + std::to_string(child) +
                    " is none");
      }
      tree_.children.push_back(static_cast<std::uint32_t>(child));
    }
    if (!lines_.rest().empty()) {
      lines_.word("");
      lines_.fail("a node has a level and one number for each of the " + std::to_string(states_) +
                  " states");
    }
    levels_.push_back(static_cast<std::uint8_t>(level));
  }

  static constexpr std::int64_t kMostNodes = 100'000'000;

  FileLines& lines_;
  FileRule& rule_;
  RuleTree tree_;
  std::vector<std::uint8_t> levels_;  // of the nodes
  int states_ = 0, neighbours_ = 0;
  std::int64_t nodes_ = 0;
};

}  // namespace

void read_file_tree(FileLines& lines, FileRule& rule) { TreeReader(lines, rule).read(); }

}  // namespace tessera
