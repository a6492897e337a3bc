#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace tessera {

/// Threads that stay awake over many short passes: handing tasks to a thread that sleeps takes
/// longer than a pass over a small grid. Between gatherings they sleep.
class Crew {
 public:
  /// Of the thread that gathers and `threads` - 1 others, which start now.
  explicit Crew(int threads);
  /// Not while gathered.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Calls `lead` on this thread; until it returns, the others wait for what it shares, without
  /// sleeping.
  void gather(const std::function<void()>& lead);

  /// Called by `lead`: calls task(0) to task(tasks - 1), at most `threads` of them, each once, and
  /// returns when all have ended. A thread gets the same task each time; the tasks of late threads
  /// are done by others. Tasks see everything that happened before the call, and must not throw.
  void share(int tasks, const std::function<void(int)>& task);

 private:
  void serve(int number);
  void take_tasks(std::uint64_t round, int number);

  // Odd while gathered, even between gatherings, kEnd at the end: what a thread sleeps on.
  std::atomic<std::uint32_t> gathering_{0};
  const std::function<void(int)>* task_ = nullptr;
  // Rounds are counted in steps of kRound; the rest is the number of tasks.
  std::atomic<std::uint64_t> round_{0};
  std::vector<std::atomic<std::uint64_t>> taken_;  // the last round in which each task was taken
  std::atomic<int> left_{0};                       // tasks of this round that have not ended
  std::vector<std::jthread> others_;               // last: they use all of the above
};

}  // namespace tessera
