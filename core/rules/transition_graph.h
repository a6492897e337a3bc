#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/rules/file_transitions.h"

namespace tessera {

/// The next states under a rule file as a graph of tables, which is made while it is used.
///
/// A level reads a few cells at once. What is known after it (FileTransitions) is a node: a table
/// with an entry for each combination of the states of the next level's cells, which leads to a
/// node of that level, or tells the next state. A rule may have more nodes than memory has room
/// for, but a universe meets few of them, so that a node is made when a cell needs it. What finds
/// no room any more is worked out again each time.
class TransitionGraph {
 public:
  static constexpr std::size_t kMostLevels = 9;

  explicit TransitionGraph(const FileRule& rule);
  /// The graph of a rule that lives as long as the program, shared by all who step it now.
  static std::shared_ptr<TransitionGraph> of(const FileRule& rule);

  /// The cells that a level reads, the most significant digit of its entries first.
  struct Level {
    std::size_t first = 0, count = 0;
  };
  const std::vector<SeenCell>& cells() const { return transitions_->cells(); }
  const std::vector<Level>& levels() const { return levels_; }
  int states() const { return states_; }

  /// The node to begin with.
  std::uint32_t root() const { return root_; }
  /// The node that an entry of a node leads to, in the last level one more than the next state; 0
  /// where nobody has asked yet, whatever the entry of node 0.
  std::uint32_t follow(std::uint32_t node, std::uint32_t entry) const {
    return entries()[node + entry].load(std::memory_order_relaxed);
  }
  /// The next state for the states of cells(), whose nodes are made where there is room. May be
  /// called by several threads.
  std::uint8_t next(const std::uint8_t* states);

  /// Some of the entries, in their order.
  struct Piece {
    std::uint32_t first;
    std::vector<std::uint32_t> entries;
  };
  /// Pieces with all entries that were made since `seen`, which becomes the present: 0 is the
  /// beginning. A device that steps by a copy of the entries keeps `seen`.
  std::vector<Piece> news(std::uint64_t& seen) const;
  /// How many entries there are, those of node 0 among them. No entry that news() has given leads
  /// behind them.
  std::uint32_t size() const;

 private:
  using Entry = std::atomic<std::uint32_t>;
  using Known = FileTransitions::Known;

  struct KnownHash {
    std::size_t operator()(const Known& known) const;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  Entry* entries() const { return static_cast<Entry*>(entries_.get()); }
  std::uint32_t node_of(std::size_t level, Known known);
  void keep(std::uint32_t at, std::uint32_t value);

  std::unique_ptr<FileTransitions> transitions_;
  int states_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> fan_;       // entries of a node, by its level
  std::unique_ptr<void, Free> entries_;  // zero pages, touched where there are nodes
  std::uint32_t used_ = 0, root_ = 0;
  std::size_t known_bytes_ = 0;
  mutable std::mutex mutex_;  // of all that follows, and of what makes nodes
  std::vector<std::unordered_map<Known, std::uint32_t, KnownHash>> nodes_;  // by level
  std::unordered_map<std::uint32_t, const Known*> known_;                   // of each node
  std::uint64_t made_ = 0;                                                  // entries so far
  std::vector<std::uint64_t> pages_;  // by kPage entries: what made_ was after the last of them
};

}  // namespace tessera
