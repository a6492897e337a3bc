#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rules/neighbourhood_table.h"
#include "core/rules/state_program.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// The programs of a grid's rule and, where two take turns, of the other: at first such as are
/// found at once, and shorter ones after a search, which begins beside the steps when so much work
/// was done that half a second of another thread pays for each.
class RulePrograms {
 public:
  /// `patience`: gates of one word each before the search.
  RulePrograms(const BackendSpec& spec, std::int64_t patience);

  /// Of even or of odd generations. The planes, `next` and `codes` never change.
  const StateProgram& of(bool odd) const { return entries_[odd && alternate() ? 1 : 0].program; }
  /// Whether two take turns.
  bool alternate() const { return entries_.size() > 1; }

  /// Gates of one word that may be done before the search is to begin, or to be asked whether it
  /// has ended; far away when nothing is left to search for.
  std::int64_t patience() const;
  /// How many of `most` generations of so many gates each to take until then: whole passes of
  /// `pass` generations, and one at least.
  std::int64_t generations_until_then(std::int64_t most, std::int64_t gates,
                                      std::int64_t pass) const;
  /// Notes that so many were done.
  void did(std::int64_t gates) { patience_ -= gates < patience_ ? gates : patience_; }
  /// Begins the search if that is due, and takes what it found. Returns whether programs have
  /// changed.
  bool search_when_due();

 private:
  struct Entry {
    Rule rule;
    StateProgram program{};
  };
  std::vector<Entry> entries_;
  std::vector<NeighbourhoodTable> tables_;
  bool searched_;  // nothing is left to search for
  std::int64_t patience_, between_looks_;
};

}  // namespace tessera
