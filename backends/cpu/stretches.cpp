#include "backends/cpu/stretches.h"

#include <algorithm>
#include <mutex>
#include <new>

#include "backends/cpu/waiting.h"

namespace tessera {

void HandedRows::place(std::uint64_t* memory, int each, std::int64_t row_words) {
  memory_ = memory;
  each_ = each;
  row_words_ = row_words;
}

void HandedRows::wait_for(int t) const {
  wait_until([&] { return is_left(t); });
}

// Nobody else knows of the stretch yet.
void Stretch::set(std::int64_t first, End end, int generations, bool above) {
  started_ = false;
  first_ = first;
  end_ = end;
  generations_ = generations;
  above_ = above;
  alone_ = !above && !end.below;
  handed_.clear();
}

bool Stretch::start() {
  if (alone_) return true;
  const std::lock_guard lock(lock_);
  if (started_) return false;
  started_ = true;
  claimed_ = first_ - generations_;
  return true;
}

Stretch::End Stretch::claim(std::int64_t row) {
  if (alone_) return end_;
  End end = claim_own(row);
  // In generation 0 the stretch below begins `generations_` rows above where it does in the last
  // one. Up to here no row behind that was stepped, and from here on nothing can be halved.
  while (end.below && row > end.last - generations_) {
    const std::optional<End> next = end.below->give_all();
    if (!next) break;
    end = *next;
    const std::lock_guard lock(lock_);
    end_ = end;
  }
  return end;
}

Stretch::End Stretch::claim_own(std::int64_t row) {
  const std::lock_guard lock(lock_);
  claimed_ = row;
  return end_;
}

std::optional<Stretch::End> Stretch::give_all() {
  const std::lock_guard lock(lock_);
  if (started_) return std::nullopt;
  started_ = true;
  claimed_ = end_.last;
  return end_;
}

std::int64_t Stretch::left() const {
  const std::lock_guard lock(lock_);
  return left_now();
}

std::int64_t Stretch::left_now() const {
  return started_ && !alone_ ? end_.last - generations_ - claimed_ : 0;
}

bool Stretch::halve(Stretch& lower, std::int64_t least) {
  const std::lock_guard lock(lock_);
  const std::int64_t left = left_now();
  if (left < least) return false;
  // Generation t has come to row claimed_ - t and began at row first_ - T + t. So in the middle of
  // the generations so many rows more than `left` are to be stepped.
  const std::int64_t begun = std::min<std::int64_t>(claimed_ - first_ + generations_,
                                                    2 * std::int64_t{generations_}),
                     behind = begun - begun * begun / (4 * std::int64_t{generations_});
  const std::int64_t middle = end_.last - std::min(left, (left + behind) / 2);
  lower.set(middle, end_, generations_, true);
  end_ = {middle, &lower};
  return lower.start();
}

Stretches::Stretches(int most)
    : own_(static_cast<std::size_t>(most_of(most))), all_(own_), taking_(&own_taking_) {}

std::int64_t Stretches::bytes(int most) {
  return static_cast<std::int64_t>(sizeof(Taking)) +
         most_of(most) * static_cast<std::int64_t>(sizeof(Stretch));
}

Stretches::Stretches(int most, std::byte* memory, bool make) {
  const auto count = static_cast<std::size_t>(most_of(most));
  std::byte* const stretches = memory + sizeof(Taking);
  if (make) {
    new (memory) Taking;
    for (std::size_t i = 0; i < count; i++) new (stretches + i * sizeof(Stretch)) Stretch;
  }
  taking_ = std::launder(reinterpret_cast<Taking*>(memory));
  all_ = {std::launder(reinterpret_cast<Stretch*>(stretches)), count};
}

void Stretches::place(std::uint64_t* memory, std::int64_t words, int each, std::int64_t row_words) {
  for (Stretch& stretch : all_) {
    stretch.handed().place(memory, each, row_words);
    memory += words;
  }
}

void Stretches::set(std::span<const std::int64_t> cuts, int generations) {
  const std::size_t count = cuts.size() - 1;
  taking_->count = count;
  for (std::size_t i = 0; i < count; i++) {
    Stretch* const below = i + 1 < count ? &all_[i + 1] : nullptr;
    all_[i].set(cuts[i], {cuts[i + 1], below}, generations, i > 0);
  }
}

Stretch* Stretches::take_half(std::int64_t least) {
  const std::lock_guard lock(taking_->lock);
  if (taking_->count == all_.size()) return nullptr;
  Stretch* slowest = nullptr;
  std::int64_t most = least - 1;
  for (std::size_t i = 0; i < taking_->count; i++) {
    const std::int64_t left = all_[i].left();
    if (left > most) slowest = &all_[i], most = left;
  }
  Stretch& lower = all_[taking_->count];
  if (!slowest || !slowest->halve(lower, least)) return nullptr;
  taking_->count++;
  return &lower;
}

}  // namespace tessera
