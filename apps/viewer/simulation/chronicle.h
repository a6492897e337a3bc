#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/viewer/simulation/document.h"
#include "apps/viewer/simulation/population_log.h"
#include "apps/viewer/simulation/timeline.h"
#include "core/stepping/period_finder.h"

namespace tessera {

/// What is known of the generations of a document: their populations, their period, and states to
/// go back to. It takes the document through them, forwards and back. An edit makes another future:
/// what was known of the old one is forgotten.
class Chronicle {
 public:
  /// The document outlives it.
  explicit Chronicle(Document& document);

  /// After a new start: nothing is known.
  void clear();
  /// Looks whether the document was edited, which is to be known before anything is told of it.
  void notice_edits();

  // Forwards.

  /// Before a block of generations: keeps a state to go back to when one is due.
  void keep_state();
  /// Before stepping so many generations. A run from the past meets no edit, so what followed from
  /// one is known no more.
  void pass(std::int64_t generations);
  /// Steps, and counts the population on the way where the graph wants to know it.
  void step(std::int64_t generations);
  /// Notes the generation that was stepped to.
  void reached();
  /// Notes the population of the generation at hand.
  void counted(std::int64_t population);

  // Back.

  /// Goes to the last state that was kept of `generation` or before. False, with nothing changed,
  /// when there is none, or when the generation at hand lies between the two.
  bool travel(std::int64_t generation);
  /// Goes to the start. Throws what Document::reset throws.
  void reset();

  // What is known.

  const std::vector<PopulationSample>& populations() const { return log_.samples(); }
  const std::optional<std::int64_t>& period() const { return period_.period(); }
  /// The first and the last generation that can be gone to.
  std::int64_t first() const;
  std::int64_t last() const;

 private:
  using Clock = std::chrono::steady_clock;

  void forget_from(std::int64_t edit);
  void leave_for(std::int64_t generation);
  void arrived(bool edited);

  Document& document_;
  PopulationLog log_;
  PeriodFinder period_;
  Timeline timeline_;
  bool edited_ = true;  // since the last state was kept
  std::uint64_t revision_ = 0;
  Clock::time_point keep_due_{};
};

}  // namespace tessera
