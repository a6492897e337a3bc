#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/viewer/simulation/engine.h"

namespace tessera {

/// The simulation on a thread of its own: takes commands in order, steps between them, and leaves
/// the latest picture and status for the window. The window never waits: it draws the last picture
/// until there is a newer one.
class Session {
 public:
  using Command = std::function<void(Engine&)>;

  /// Starts the thread, on which `make` makes the engine (devices may be tied to the thread that
  /// opened them), and waits for that; throws what `make` throws. `wake` is called on the thread
  /// after something new was left; it must return at once.
  Session(const std::function<std::unique_ptr<Engine>()>& make, std::function<void()> wake);
  /// Executes the posted commands, then ends the thread.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Executes a command on the simulation thread, after everything posted earlier. Its exceptions
  /// become messages.
  void post(Command command);
  /// Commands posted so far; Status::commands counts those done.
  std::uint64_t posted() const { return posted_; }

  /// Sets the cells that the window wants to see.
  void want(const ViewRequest& view);
  /// False: no pictures are made.
  void want_pictures(bool wanted);

  /// The latest picture, or null before the first one. It stays valid as long as it is held.
  std::shared_ptr<const Picture> picture() const;
  Status status() const;
  /// Copies the latest status if none was taken since; false where `status` is that already.
  bool take_status(Status& status);
  /// Messages since the last call.
  std::vector<Message> take_messages();
  /// True when everything posted is done, nothing runs, and picture and status are up to date.
  bool idle() const;

 private:
  using Clock = Engine::Clock;

  void loop();
  void work(std::unique_lock<std::mutex>& lock);
  void run_commands(std::vector<Command> commands);
  template <class Action>
  bool guarded(Action&& action);
  bool publish_due(Clock::time_point now) const;
  Clock::time_point next_picture() const;
  void publish();

  std::unique_ptr<Engine> engine_;
  std::function<void()> wake_;
  std::uint64_t posted_ = 0;  // by the window's thread only

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Command> commands_;
  ViewRequest wanted_;
  bool pictures_ = true;
  bool ending_ = false;
  mutable bool seen_ = true;  // the window took the last picture
  std::shared_ptr<const Picture> picture_;
  Status status_;
  bool status_taken_ = false;
  std::vector<Message> messages_;
  bool idle_ = false;

  // Used only by the simulation thread.
  std::vector<std::shared_ptr<Picture>> pool_;
  std::uint64_t done_ = 0;
  bool dirty_ = true;  // something changed since the last picture
  Clock::duration look_cost_{};
  Clock::time_point looked_{};
  std::vector<Message> new_messages_;

  std::thread thread_;
};

}  // namespace tessera
