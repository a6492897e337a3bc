#include "apps/viewer/simulation/undo_stack.h"

#include <utility>

namespace tessera {

std::int64_t Change::bytes() const {
  std::int64_t sum = 0;
  for (const Patch& patch : patches) {
    sum += 2 * patch.before.bytes();
  }
  if (before) sum += before->bytes();
  if (after) sum += after->bytes();
  return sum;
}

void UndoStack::push(Change change) {
  change.serial = ++serial_;
  done_.push_back(std::move(change));
  undone_.clear();
  std::int64_t sum = 0;
  for (const Change& each : done_) sum += each.bytes();
  std::size_t drop = 0;
  for (; sum > memory_ && drop < done_.size(); drop++) {
    sum -= done_[drop].bytes();
    if (done_[drop].edits()) forgotten_edit_ = done_[drop].serial;
  }
  done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(drop));
}

void UndoStack::clear() {
  forgotten_edit_ = last_edit();
  done_.clear();
  undone_.clear();
}

void UndoStack::mark_undone() {
  undone_.push_back(std::move(done_.back()));
  done_.pop_back();
}

void UndoStack::mark_redone() {
  done_.push_back(std::move(undone_.back()));
  undone_.pop_back();
}

std::uint64_t UndoStack::last_edit() const {
  for (auto change = done_.rbegin(); change != done_.rend(); ++change) {
    if (change->edits()) return change->serial;
  }
  return forgotten_edit_;
}

}  // namespace tessera
