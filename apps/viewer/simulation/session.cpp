#include "apps/viewer/simulation/session.h"

#include <algorithm>
#include <exception>
#include <future>
#include <iterator>
#include <new>
#include <utility>

#include "core/base/error.h"

namespace tessera {
namespace {

using namespace std::chrono_literals;

// While running, pictures are made at most this often and take at most a quarter of the time.
constexpr auto kBetweenPictures = 15ms;
constexpr int kPictureShare = 3;

}  // namespace

Session::Session(const std::function<std::unique_ptr<Engine>()>& make, std::function<void()> wake)
    : wake_(std::move(wake)) {
  std::promise<void> made;
  std::future<void> ready = made.get_future();
  thread_ = std::thread([&, this] {
    try {
      engine_ = make();
      status_ = engine_->status();
    } catch (...) {
      made.set_exception(std::current_exception());
      return;
    }
    made.set_value();
    loop();
    engine_.reset();
  });
  try {
    ready.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

Session::~Session() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Session::post(Command command) {
  posted_++;
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    idle_ = false;
  }
  changed_.notify_one();
}

void Session::want(const ViewRequest& view) {
  {
    const std::lock_guard lock(mutex_);
    if (view == wanted_) return;
    wanted_ = view;
    idle_ = false;
  }
  changed_.notify_one();
}

void Session::want_pictures(bool wanted) {
  const std::lock_guard lock(mutex_);
  pictures_ = wanted;
}

std::shared_ptr<const Picture> Session::picture() const {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(seen_, true)) changed_.notify_one();
  return picture_;
}

Status Session::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool Session::take_status(Status& status) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(status_taken_, true)) return false;
  status = status_;
  return true;
}

std::vector<Message> Session::take_messages() {
  const std::lock_guard lock(mutex_);
  return std::exchange(messages_, {});
}

bool Session::idle() const {
  const std::lock_guard lock(mutex_);
  return idle_;
}

// Turns an action's exceptions into messages and returns false; a lost device is replaced.
template <class Action>
bool Session::guarded(Action&& action) {
  try {
    try {
      action();
      return true;
    } catch (const DeviceError& error) {
      engine_->rescue(error.what());
    }
  } catch (const std::bad_alloc&) {
    new_messages_.push_back({"Out of memory: this machine has less than is needed", true});
  } catch (const std::exception& error) {
    new_messages_.push_back({error.what(), true});
  }
  return false;
}

void Session::run_commands(std::vector<Command> commands) {
  for (const Command& command : commands) {
    guarded([&] { command(*engine_); });
    done_++;
    dirty_ = true;
  }
}

// A picture is made when there is something new to see and the last one was taken, or at once when
// the window looks elsewhere.
bool Session::publish_due(Clock::time_point now) const {
  if (!pictures_) return false;
  if (!(wanted_ == engine_->view())) return true;
  if (!dirty_) return false;
  if (!engine_->running()) return true;
  return seen_ && now >= next_picture();
}

Session::Clock::time_point Session::next_picture() const {
  return looked_ + std::max<Clock::duration>(kBetweenPictures, kPictureShare * look_cost_);
}

void Session::publish() {
  // Reuses a picture that nobody holds any more, so that memory is not allocated and cleared for
  // each.
  std::shared_ptr<Picture> picture;
  for (const std::shared_ptr<Picture>& each : pool_) {
    if (each.use_count() != 1) continue;
    picture = each;
    picture->shared.reset();  // the device's memory is for pictures that somebody sees
  }
  if (!picture) picture = pool_.emplace_back(std::make_shared<Picture>());
  const Clock::time_point start = Clock::now();
  guarded([&] { engine_->look(*picture); });
  look_cost_ = Clock::now() - start;
  picture->seconds = std::chrono::duration<double>(look_cost_).count();
  Status status;
  guarded([&] { status = engine_->status(); });
  looked_ = Clock::now();
  status.commands = done_;
  for (Message& message : engine_->take_messages()) new_messages_.push_back(std::move(message));
  {
    const std::lock_guard lock(mutex_);
    picture_ = std::move(picture);
    status_ = std::move(status);
    status_taken_ = false;
    std::ranges::move(new_messages_, std::back_inserter(messages_));
    new_messages_.clear();
    seen_ = false;
    dirty_ = false;
  }
  wake_();
  bool stepped = true;
  if (!guarded([&] { stepped = engine_->finish_block(); })) engine_->stop();
  dirty_ = stepped;
}

void Session::loop() {
  std::unique_lock lock(mutex_);
  while (!ending_ || !commands_.empty()) work(lock);
}

// One round: commands, a picture, a block of steps, or waiting for any of them. The lock is
// released while they work.
void Session::work(std::unique_lock<std::mutex>& lock) {
  const auto unlocked = [&](auto&& action) {
    lock.unlock();
    action();
    lock.lock();
  };
  if (!commands_.empty()) {
    std::vector<Command> commands = std::exchange(commands_, {});
    unlocked([&] { run_commands(std::move(commands)); });
  }
  if (publish_due(Clock::now())) {
    engine_->set_view(wanted_);
    unlocked([&] { publish(); });
  }
  if (!commands_.empty()) return;
  if (engine_->due(Clock::now())) {
    unlocked([&] {
      if (!guarded([&] { engine_->advance(); })) engine_->stop();
    });
    dirty_ = true;
    return;
  }
  std::optional<Clock::time_point> next = engine_->next_due();
  idle_ = !next && !dirty_ && wanted_ == engine_->view();
  if (next && dirty_ && pictures_ && seen_) next = std::min(*next, next_picture());
  const auto something = [&] { return !commands_.empty() || ending_ || publish_due(Clock::now()); };
  if (next) {
    changed_.wait_until(lock, *next, something);
  } else {
    changed_.wait(lock, something);
  }
}

}  // namespace tessera
