#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tessera {

/// Threads of oneTBB that stay awake over many short passes: waking a sleeping thread takes longer
/// than a pass over a small grid.
class Crew {
 public:
  /// Of this thread and up to `threads` - 1 others.
  explicit Crew(int threads);
  ~Crew();

  /// Calls `lead` on this thread; until it returns, the others wait for what it shares, without
  /// sleeping.
  void gather(const std::function<void()>& lead);

  /// Called by `lead`: calls task(0) to task(tasks - 1), at most `threads` of them, each once, and
  /// returns when all have ended. A thread gets the same task each time; the tasks of late threads
  /// are done by others. Tasks see everything that happened before the call, and must not throw.
  void share(int tasks, const std::function<void(int)>& task);

 private:
  struct Arena;

  void stand_by(int number);
  void take_tasks(std::uint64_t round, int number);

  int threads_;
  std::unique_ptr<Arena> arena_;
  const std::function<void(int)>* task_ = nullptr;
  // Rounds are counted in steps of kRound; the rest is the number of tasks. 0 in it ends the
  // gathering.
  std::atomic<std::uint64_t> round_{0};
  std::vector<std::atomic<std::uint64_t>> taken_;  // the last round in which each task was taken
  std::atomic<int> left_{0};                       // tasks of this round that have not ended
};

}  // namespace tessera
