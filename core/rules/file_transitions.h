#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/rules/file_rule.h"

namespace tessera {

/// A rule file as an automaton that reads the cells of a neighbourhood one after the other. What it
/// knows after some of them is a list of numbers; equal lists have equal outcomes.
class FileTransitions {
 public:
  using Known = std::vector<std::uint32_t>;

  virtual ~FileTransitions() = default;
  /// The cells in the order in which they are read.
  virtual const std::vector<SeenCell>& cells() const = 0;
  /// What is known before any cell is read.
  virtual Known start() const = 0;
  /// What is known when cell number `cell` has been read, too; after the last one, only the next
  /// state. May be called by several threads.
  virtual Known read(const Known& known, std::size_t cell, int state) const = 0;
};

/// The automaton of a rule file that lives as long.
std::unique_ptr<FileTransitions> file_transitions(const FileRule& rule);

}  // namespace tessera
