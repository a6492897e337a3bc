#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace tessera {

/// Requests of a library that one thread at a time may call, and that must be asked again and again
/// whether they are done: any number of threads may begin some and wait for them. One of those that
/// wait asks for all, and the others sleep.
///
/// Waiting does not hold on to a core that others need: who asks does so at once at first, for the
/// answer is often near, then yields in between, then sleeps for moments of up to a millisecond.
class PolledRequests {
 public:
  /// Whether a request is done: 1: done, 0: not yet, -1: failed. What is done or failed is never
  /// asked for again.
  using Test = std::function<int(void*)>;
  explicit PolledRequests(Test test) : test_(std::move(test)) {}

  /// The threads that run here have fewer cores than they could use: asking gives way at once.
  /// Before anything is begun.
  void share_cores() { shares_ = true; }

  /// Calls `begin` while no other thread is in the library, and returns when all of the requests
  /// that it began are done. False where one of them failed or is null.
  bool complete(const std::function<std::vector<void*>()>& begin);

 private:
  // What one thread waits for.
  struct Waiter {
    std::vector<void*> requests;
    bool failed = false;
    bool done() const { return requests.empty() || failed; }
  };
  class Patience;

  void poll(const Waiter& own, std::unique_lock<std::mutex>& lock);
  void test_all();

  Test test_;
  bool shares_ = false;
  std::atomic<int> wanting_{0};  // threads on their way into the library
  std::mutex mutex_;             // of who is in there, and of what follows
  std::condition_variable told_;
  std::vector<Waiter*> waiters_;
  std::uint64_t arrivals_ = 0;  // of waiters
  bool polled_ = false;         // by one of them
};

}  // namespace tessera
