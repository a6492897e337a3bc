#include "backends/cpu/crew.h"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <thread>

namespace tessera {

namespace {

constexpr std::uint64_t kRound = std::uint64_t{1} << 16;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// Waits without sleeping until `done` returns true, and yields the processor when others want it.
template <class Done>
void wait_until(const Done& done) {
  for (int turns = 0; !done(); turns++) {
    if (turns < 2000) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace

struct Crew::Arena {
  // oneTBB complains when asked for more threads than can run.
  explicit Arena(int threads)
      : arena(std::min(threads,
                       std::max(1, static_cast<int>(std::thread::hardware_concurrency())))) {}
  tbb::task_arena arena;
};

Crew::Crew(int threads)
    : threads_(threads),
      arena_(std::make_unique<Arena>(threads)),
      taken_(static_cast<std::size_t>(threads)) {}

Crew::~Crew() = default;

void Crew::gather(const std::function<void()>& lead) {
  arena_->arena.execute([&] {
    tbb::task_group others;
    // However `lead` ends, the other threads leave before what they use is destroyed.
    struct End {
      Crew& crew;
      tbb::task_group& others;
      ~End() {
        const std::uint64_t round = crew.round_.load(std::memory_order_relaxed);
        crew.round_.store((round / kRound + 1) * kRound, std::memory_order_release);
        others.wait();
      }
    };
    // A round without tasks ends the gathering, so this one begins with a round that has some.
    round_.store((round_.load(std::memory_order_relaxed) / kRound + 1) * kRound + 1,
                 std::memory_order_relaxed);
    taken_[0].store(round_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    const End end{*this, others};
    for (int i = 1; i < threads_; i++) others.run([this, i] { stand_by(i); });
    lead();
  });
}

void Crew::share(int tasks, const std::function<void(int)>& task) {
  task_ = &task;
  left_.store(tasks, std::memory_order_relaxed);
  const std::uint64_t round = (round_.load(std::memory_order_relaxed) / kRound + 1) * kRound +
                              static_cast<std::uint64_t>(tasks);
  round_.store(round, std::memory_order_release);
  take_tasks(round, 0);
  wait_until([&] { return left_.load(std::memory_order_acquire) == 0; });
}

void Crew::stand_by(int number) {
  std::uint64_t round = 0;
  do {
    const std::uint64_t last = round;
    wait_until([&] { return (round = round_.load(std::memory_order_acquire)) != last; });
    take_tasks(round, number);
  } while (round % kRound != 0);
}

// The thread that writes the round takes the task. A late thread finds that round, or a later one,
// already written.
void Crew::take_tasks(std::uint64_t round, int number) {
  const auto tasks = static_cast<int>(round % kRound);
  for (int i = 0; i < tasks; i++) {
    const int mine = (number + i) % tasks;
    std::uint64_t before = taken_[mine].load(std::memory_order_relaxed);
    if (before >= round) continue;
    if (!taken_[mine].compare_exchange_strong(before, round, std::memory_order_acq_rel)) continue;
    (*task_)(mine);
    left_.fetch_sub(1, std::memory_order_acq_rel);
  }
}

}  // namespace tessera
