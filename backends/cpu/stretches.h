#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backends/cpu/spin_lock.h"

namespace tessera {

/// Rows that a stretch leaves for the one above it: the first ones that it computes of each
/// generation but the last. The one above needs them at its end, so that neither computes rows of
/// the other.
class HandedRows {
 public:
  /// Of `each` rows of `row_words` 64-bit words in a generation.
  void place(std::uint64_t* memory, int each, std::int64_t row_words);
  /// Before a pass.
  void clear() { left_.store(0, std::memory_order_relaxed); }

  /// The first word of row `i` of generation `t`, from 1 on.
  std::uint64_t* row(int t, int i) const { return memory_ + ((t - 1) * each_ + i) * row_words_; }
  /// All rows of generations up to `t` are written.
  void leave(int t) { left_.store(t, std::memory_order_release); }
  bool is_left(int t) const { return left_.load(std::memory_order_acquire) >= t; }
  /// Waits until those of generation `t` are left, by a stretch that has begun.
  void wait_for(int t) const;

 private:
  std::uint64_t* memory_ = nullptr;
  int each_ = 0;
  std::int64_t row_words_ = 0;
  std::atomic<int> left_{0};
};

/// Vector rows [first, last) of a pass of T generations, which one thread steps downwards, group by
/// group. In generation t these are rows first - (T - t) and on. They end as they begin where
/// another stretch lies below, and as far below `last` where none does.
///
/// While they are stepped, another thread may take the lower half of the work that is left, as far
/// as it is not claimed yet; and a stretch that comes to its end before the one below has begun
/// goes on with its rows.
class alignas(64) Stretch {
 public:
  struct End {
    std::int64_t last = 0;
    Stretch* below = nullptr;  ///< that begins there; null where none does
  };

  /// Before a pass. `above`: another one ends where this begins.
  void set(std::int64_t first, End end, int generations, bool above);
  /// False where the stretch above has taken all rows. Then nobody steps this one.
  bool start();
  std::int64_t first() const { return first_; }
  /// Where it leaves its first rows; null where nobody needs them.
  HandedRows* leaves() { return above_ ? &handed_ : nullptr; }
  HandedRows& handed() { return handed_; }

  /// Nobody takes rows before `row` of generation 0 from now on. Returns where the stretch ends.
  End claim(std::int64_t row);
  /// Rows that nobody has claimed; 0 before the start.
  std::int64_t left() const;
  /// Gives rows to `lower` so that both have as much to step until they end: this one up to T rows
  /// more than it has left, because later generations are behind. At most all that is left. False,
  /// and nothing happens, when less than `least` rows are left.
  bool halve(Stretch& lower, std::int64_t least);
  /// Rows of a generation that it stepped, on average, when it has ended.
  std::int64_t stepped() const { return end_.last - first_ + (end_.below ? 0 : generations_); }

 private:
  std::int64_t left_now() const;
  End claim_own(std::int64_t row);
  std::optional<End> give_all();

  mutable SpinLock lock_;
  bool started_ = false;
  std::int64_t first_ = 0, claimed_ = 0;
  End end_;
  int generations_ = 1;
  bool above_ = false;
  bool alone_ = true;  // in its pass, by a task that no other runs beside
  HandedRows handed_;
};

/// The stretches of a pass. Each thread has one at first. When it is done, it takes half of what
/// the slowest still has before it: processors differ, and change.
class Stretches {
 public:
  /// Of at most `most` at first.
  explicit Stretches(int most);
  /// In `memory` of bytes(most) zeros, aligned to a page, which other processes see at the same
  /// address; `make`: by the one of them that calls this before all others.
  Stretches(int most, std::byte* memory, bool make);
  static std::int64_t bytes(int most);
  /// Stretches of a pass by `tasks` tasks, those that begin late among them.
  static std::int64_t most_of(int tasks) { return 2 * std::int64_t{tasks}; }
  /// Memory of rows that are handed on, for all of them: most_of() times `words`.
  void place(std::uint64_t* memory, std::int64_t words, int each, std::int64_t row_words);

  /// Before a pass of so many generations: stretch i has rows [cuts[i], cuts[i+1]), at least two.
  void set(std::span<const std::int64_t> cuts, int generations);
  Stretch& operator[](int i) { return all_[static_cast<std::size_t>(i)]; }
  /// What the stretch with the most rows left gives (Stretch::halve), started; null when that has
  /// fewer than `least` left, which is more than kRowStep: so nothing is taken of a stretch that
  /// has come to the margin below. Any thread may call this while the pass runs.
  Stretch* take_half(std::int64_t least);

 private:
  struct alignas(64) Taking {
    SpinLock lock;
    std::size_t count = 0;
  };
  std::vector<Stretch> own_;  // empty where they lie elsewhere
  Taking own_taking_;
  std::span<Stretch> all_;
  Taking* taking_;
};

}  // namespace tessera
