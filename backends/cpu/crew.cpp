#include "backends/cpu/crew.h"

#include <limits>

#include "backends/cpu/waiting.h"

namespace tessera {

namespace {

constexpr std::uint64_t kRound = std::uint64_t{1} << 16;
constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max() - 1;

bool gathered(std::uint32_t gathering) { return gathering % 2 != 0; }

}  // namespace

Crew::Crew(int threads) : taken_(static_cast<std::size_t>(threads)) {
  others_.reserve(taken_.size());
  for (int number = 1; number < threads; number++) {
    others_.emplace_back([this, number] { serve(number); });
  }
}

Crew::~Crew() {
  gathering_.store(kEnd, std::memory_order_release);
  gathering_.notify_all();
}

void Crew::gather(const std::function<void()>& lead) {
  // However `lead` ends, the others stop waiting for it.
  struct Gathering {
    std::atomic<std::uint32_t>& count;
    ~Gathering() { count.fetch_add(1, std::memory_order_release); }
  };
  // The count never reaches kEnd: it goes round before.
  if (gathering_.load(std::memory_order_relaxed) == kEnd - 2) gathering_.store(0);
  gathering_.fetch_add(1, std::memory_order_release);
  gathering_.notify_all();
  const Gathering gathering{gathering_};
  lead();
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

// The life of another thread.
void Crew::serve(int number) {
  std::uint64_t last = 0;  // the round that it has served
  for (std::uint32_t gathering = 0; gathering != kEnd;) {
    if (gathered(gathering)) {
      std::uint64_t round = last;
      wait_until([&] {
        gathering = gathering_.load(std::memory_order_acquire);
        round = round_.load(std::memory_order_acquire);
        return round != last || !gathered(gathering);
      });
      take_tasks(round, number);
      last = round;
      continue;
    }
    // One call of step often follows the other.
    for (int turns = 0; turns < kWaitingTurns && !gathered(gathering) && gathering != kEnd;
         turns++) {
      pause_turn();
      gathering = gathering_.load(std::memory_order_acquire);
    }
    if (!gathered(gathering) && gathering != kEnd) {
      gathering_.wait(gathering, std::memory_order_acquire);
      gathering = gathering_.load(std::memory_order_acquire);
    }
  }
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
