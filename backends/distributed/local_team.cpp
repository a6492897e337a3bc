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
  void broadcast(std::vector<std::byte>& bytes) override { team_.broadcast(rank_, bytes); }
  void reduce(Reduction how, std::span<std::uint64_t> numbers) override {
    team_.reduce(rank_, how, numbers);
  }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    team_.exchange(rank_, out, in);
  }

 private:
  LocalTeam& team_;
  int rank_, size_;
};

LocalTeam::LocalTeam(int size)
    : numbers_(static_cast<std::size_t>(size)), errors_(static_cast<std::size_t>(size)) {
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
  letters_.clear();
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

void LocalTeam::broadcast(int rank, std::vector<std::byte>& bytes) {
  if (rank == 0) broadcast_ = &bytes;
  barrier();
  if (rank != 0) bytes = *broadcast_;
  barrier();
}

void LocalTeam::reduce(int rank, Reduction how, std::span<std::uint64_t> numbers) {
  numbers_[static_cast<std::size_t>(rank)] = numbers;
  barrier();
  std::vector<std::uint64_t> all(numbers_.front().begin(), numbers_.front().end());
  for (std::size_t part = 1; part < numbers_.size(); part++) {
    for (std::size_t i = 0; i < all.size(); i++) all[i] = reduced(how, all[i], numbers_[part][i]);
  }
  barrier();
  std::ranges::copy(all, numbers.begin());
}

void LocalTeam::exchange(int rank, std::span<const Outgoing> out, std::span<const Incoming> in) {
  std::unique_lock lock(mutex_);
  for (const Outgoing& each : out)
    letters_[{rank, each.to, each.tag}].emplace_back(each.bytes.begin(), each.bytes.end());
  if (!out.empty()) met_.notify_all();
  for (const Incoming& each : in) {
    auto& box = letters_[{each.from, rank, each.tag}];
    met_.wait(lock, [&] { return !box.empty() || failed_; });
    if (failed_) throw PartLost();
    std::ranges::copy(box.front(), each.bytes.begin());
    box.pop_front();
  }
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
