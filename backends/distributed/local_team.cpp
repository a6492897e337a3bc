#include "backends/distributed/local_team.h"

#include <algorithm>

namespace tessera {

// A part's view of its team.
class LocalTeam::Seat final : public Communicator {
 public:
  Seat(LocalTeam& team, int rank, int size) : team_(team), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void barrier() override { team_.barrier(); }

 private:
  LocalTeam& team_;
  int rank_, size_;
};

LocalTeam::LocalTeam(int size) : errors_(static_cast<std::size_t>(size)) {
  threads_.reserve(errors_.size());
  try {
    for (int rank = 0; rank < size; rank++) threads_.emplace_back([this, rank] { serve(rank); });
  } catch (...) {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    begun_.notify_all();
    throw;
  }
}

LocalTeam::~LocalTeam() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  begun_.notify_all();
}

void LocalTeam::run(const std::function<void(Communicator&)>& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  busy_ = size();
  waiting_ = 0;
  failed_ = false;
  std::ranges::fill(errors_, nullptr);
  works_++;
  begun_.notify_all();
  ended_.wait(lock, [this] { return busy_ == 0; });
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

void LocalTeam::barrier() {
  std::unique_lock lock(mutex_);
  if (failed_) throw PartLost();
  if (++waiting_ == size()) {
    waiting_ = 0;
    barriers_++;
    met_.notify_all();
    return;
  }
  met_.wait(lock, [this, now = barriers_] { return barriers_ != now || failed_; });
  if (failed_) throw PartLost();
}

void LocalTeam::fail(int rank) {
  const std::lock_guard lock(mutex_);
  errors_[static_cast<std::size_t>(rank)] = std::current_exception();
  failed_ = true;
  met_.notify_all();
}

// The life of a part's thread.
void LocalTeam::serve(int rank) {
  Seat seat(*this, rank, static_cast<int>(errors_.size()));
  std::uint64_t done = 0;
  while (true) {
    const std::function<void(Communicator&)>* work = nullptr;
    {
      std::unique_lock lock(mutex_);
      begun_.wait(lock, [&] { return closing_ || works_ != done; });
      if (closing_) return;
      done = works_;
      work = work_;
    }
    try {
      (*work)(seat);
    } catch (const PartLost&) {
      // The part that failed has said why.
    } catch (...) {
      fail(rank);
    }
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) ended_.notify_all();
  }
}

}  // namespace tessera
