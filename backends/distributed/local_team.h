#pragma once

#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "backends/distributed/communicator.h"

namespace tessera {

/// Parts of one process, each with a thread of its own, which sleeps between the works.
class LocalTeam {
 public:
  /// `size` >= 1 parts. Throws std::system_error when the machine gives no more threads.
  explicit LocalTeam(int size);
  ~LocalTeam();
  LocalTeam(const LocalTeam&) = delete;
  LocalTeam& operator=(const LocalTeam&) = delete;

  int size() const { return static_cast<int>(threads_.size()); }

  /// Calls `work` for every part at the same time, each on the part's own thread, and returns when
  /// all have ended. When one throws, those that wait for it in a barrier end with PartLost; the
  /// error of the lowest part that failed by itself is thrown here. From one thread at a time.
  void run(const std::function<void(Communicator&)>& work);

 private:
  class Seat;

  struct Letters {
    int from, to, tag;
    auto operator<=>(const Letters&) const = default;
  };

  void serve(int rank);
  void barrier();
  void broadcast(int rank, std::vector<std::byte>& bytes);
  void reduce(int rank, Reduction how, std::span<std::uint64_t> numbers);
  void exchange(int rank, std::span<const Outgoing> out, std::span<const Incoming> in);
  void fail(int rank);

  std::mutex mutex_;
  std::condition_variable begun_, ended_, met_;
  const std::function<void(Communicator&)>* work_ = nullptr;
  std::uint64_t works_ = 0;                            // begun so far
  int busy_ = 0;                                       // parts that have not ended the present one
  int waiting_ = 0;                                    // parts in the present barrier
  std::uint64_t barriers_ = 0;                         // passed
  const std::vector<std::byte>* broadcast_ = nullptr;  // of part 0
  std::vector<std::span<std::uint64_t>> numbers_;      // by part, while they are reduced
  std::map<Letters, std::deque<std::vector<std::byte>>> letters_;  // sent and not yet received
  bool failed_ = false;
  bool closing_ = false;
  std::vector<std::exception_ptr> errors_;  // by part, of the present work
  std::vector<std::jthread> threads_;       // last: they use all of the above
};

}  // namespace tessera
