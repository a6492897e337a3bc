#include "backends/distributed/polled_requests.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace tessera {

// How long to wait until the next question.
class PolledRequests::Patience {
 public:
  explicit Patience(bool shares) : polls_(shares ? 1 : kPolls) {}

  // `lock` is open meanwhile, to who wants it first: whoever closes it again at once could keep
  // others out for long.
  void pause(PolledRequests& requests, std::unique_lock<std::mutex>& lock) {
    count_++;
    if (count_ >= polls_ + kYields) {
      requests.told_.wait_for(lock, sleep_);
      sleep_ = std::min(sleep_ * 2, std::chrono::microseconds(1000));
      return;
    }
    lock.unlock();
    if (count_ >= polls_) ::sched_yield();
    while (requests.wanting_ > 0) ::sched_yield();
    lock.lock();
  }

 private:
  static constexpr int kPolls = 20000, kYields = 2000;
  int polls_, count_ = 0;
  std::chrono::microseconds sleep_{20};
};

void PolledRequests::test_all() {
  bool any = false;
  for (Waiter* const each : waiters_) {
    if (each->done()) continue;
    std::erase_if(each->requests, [&](void* request) {
      const int state = test_(request);
      each->failed = each->failed || state < 0;
      return state != 0;
    });
    any = any || each->done();
  }
  if (any && waiters_.size() > 1) told_.notify_all();
}

// Asks for all until what the own thread waits for is done.
void PolledRequests::poll(const Waiter& own, std::unique_lock<std::mutex>& lock) {
  Patience patience(shares_);
  for (std::uint64_t known = arrivals_;;) {
    test_all();
    if (own.done()) return;
    patience.pause(*this, lock);
    if (arrivals_ == known) continue;
    known = arrivals_;
    patience = Patience(shares_);
  }
}

bool PolledRequests::complete(const std::function<std::vector<void*>()>& begin) {
  wanting_++;
  std::unique_lock lock(mutex_);
  wanting_--;
  Waiter own{begin()};
  if (std::ranges::count(own.requests, nullptr) > 0) return false;
  waiters_.push_back(&own);
  arrivals_++;
  if (polled_) told_.notify_all();  // who polls may sleep
  while (!own.done()) {
    if (polled_) {
      told_.wait(lock, [&] { return own.done() || !polled_; });
      continue;
    }
    polled_ = true;
    poll(own, lock);
    polled_ = false;
    if (waiters_.size() > 1) told_.notify_all();
  }
  std::erase(waiters_, &own);
  return !own.failed;
}

}  // namespace tessera
