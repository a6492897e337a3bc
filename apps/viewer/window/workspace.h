#pragma once

#include <SDL.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/viewer/simulation/camera.h"
#include "apps/viewer/simulation/session.h"
#include "apps/viewer/window/places.h"
#include "apps/viewer/window/settings.h"
#include "apps/viewer/window/toasts.h"
#include "apps/viewer/window/window.h"

namespace tessera {

/// What the parts of the window share: the simulation and its last status, the visible cells, the
/// user's choices, and messages to the user.
class Workspace {
 public:
  /// `make` and `wake`: as for Session. Throws what `make` throws.
  Workspace(Window& in, const Settings& chosen,
            const std::function<std::unique_ptr<Engine>()>& make, std::function<void()> wake);

  Window& window;
  Settings settings;
  Camera camera;
  bool auto_fit = false;                   ///< the view follows the pattern
  bool hyperspeed = false;                 ///< steps grow by themselves
  SDL_Point canvas{};                      ///< top left of the cells' view, in pixels
  Status status;                           ///< as of this frame
  std::shared_ptr<const Picture> picture;  ///< drawn in this frame, or null
  Places places;
  std::string tooltip;  ///< shown in this frame, or empty
  Toasts toasts;

  Session& session() { return session_; }
  const Session& session() const { return session_; }

  /// Takes the simulation's news since the last frame.
  void refresh();
  /// A message on the cells.
  void tell(const std::string& text, bool error);
  /// How fast to run from now on: steps per second, and their size.
  void set_speed(Speed speed);
  void set_step(StepSize step);
  /// Hyperspeed: once a second, while it runs and keeps up, the next larger step.
  void grow_step();
  /// Executes something on the simulation thread.
  void post(Session::Command command) { session_.post(std::move(command)); }
  /// Asks the simulation thread, and calls `then` on this thread with the answer. When the question
  /// throws, that becomes a message, and `otherwise` follows.
  template <class Answer>
  void ask(std::function<Answer(Engine&)> question, std::function<void(Answer)> then,
           std::function<void()> otherwise = {});
  /// Executes something on the simulation thread that was entered in a field, and calls `then` on
  /// this thread with what was wrong with it, in a field's words, or with nothing. A lost device
  /// becomes a message.
  void attempt(Session::Command command, std::function<void(const std::string& wrong)> then);
  /// Calls `done` now and in every frame until it returns true.
  void retry(std::function<bool()> done);
  /// Calls everything that has not been done yet.
  void retry_all();
  /// True while something has not been done yet.
  bool waiting() const { return !waiting_.empty(); }

  /// Frames that have to be drawn even if nothing happens: Dear ImGui settles within a few.
  void redraw() { redraws_ = kRedraws; }
  void redraw_once() { redraws_ = std::max(redraws_, 1); }
  void drawn() { redraws_ = std::max(redraws_ - 1, 0); }
  bool needs_drawing() const { return redraws_ > 0; }

  /// A pattern or a checkpoint, from a file or to it, which is a recent file when that is done.
  void open(const std::string& path);
  /// After the simulation has opened one.
  void opened(const std::string& path);
  void save(const std::string& path);
  /// Ends auto-fit when somebody has moved the view since `follow`.
  void notice_moves();
  /// With auto-fit: keeps all live cells in the view.
  void follow();
  /// Shows all of the selection.
  void fit_selection();
  /// Shows all live cells, or the whole bounded universe when there are none.
  void fit();
  /// After a new start: shows the universe, or on the infinite plane the cells with space around
  /// them, and follows them from then on.
  void fit_start();

 private:
  static constexpr int kRedraws = 3;

  int redraws_ = kRedraws;
  RuleSpec seen_rule_;
  std::chrono::steady_clock::time_point grown_{};
  Camera followed_;  // the view as it was left by `follow`
  std::vector<std::function<bool()>> waiting_;
  Session session_;  // last: its thread ends before the rest does
};

template <class Answer>
void Workspace::ask(std::function<Answer(Engine&)> question, std::function<void(Answer)> then,
                    std::function<void()> otherwise) {
  auto promise = std::make_shared<std::promise<Answer>>();
  auto answer = std::make_shared<std::future<Answer>>(promise->get_future());
  // The promise is broken when the question throws.
  post([promise, question = std::move(question)](Engine& engine) mutable {
    const std::shared_ptr<std::promise<Answer>> mine = std::move(promise);
    mine->set_value(question(engine));
  });
  waiting_.push_back([answer, then = std::move(then), otherwise = std::move(otherwise)] {
    if (answer->wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    try {
      then(answer->get());
    } catch (const std::future_error&) {
      if (otherwise) otherwise();
    }
    return true;
  });
}

}  // namespace tessera
