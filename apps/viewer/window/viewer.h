#pragma once

#include <SDL.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/viewer/options.h"
#include "apps/viewer/window/action.h"
#include "apps/viewer/window/clipboard.h"
#include "apps/viewer/window/context_menu.h"
#include "apps/viewer/window/device_menu.h"
#include "apps/viewer/window/dialogs/dialog.h"
#include "apps/viewer/window/frame_input.h"
#include "apps/viewer/window/menu_bar.h"
#include "apps/viewer/window/mouse.h"
#include "apps/viewer/window/painter.h"
#include "apps/viewer/window/panel.h"
#include "apps/viewer/window/pattern_browser.h"
#include "apps/viewer/window/settings.h"
#include "apps/viewer/window/thumbnails.h"
#include "apps/viewer/window/window.h"
#include "apps/viewer/window/workspace.h"

namespace tessera {

/// The program's window: hands events to its parts, and lets them draw frame by frame.
class Viewer {
 public:
  /// `settings_file`: where they are kept, or empty. Throws what Window and Engine throw.
  Viewer(const ViewerOptions& options, const Settings& settings, std::string settings_file);
  ~Viewer();
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  /// Shows frames until the user quits.
  void run();
  /// Handles the waiting events, then draws and shows a frame.
  void frame();
  bool ended() const { return ended_; }

  // What actions work on.

  void perform(const Action& action);
  /// Opens a dialog in the place of the one that is open.
  void show(std::shared_ptr<Dialog> dialog) { dialog_ = std::move(dialog); }
  /// Closes what is open, or else drops what floats or is dragged, or else the selection.
  void cancel();
  /// Ends, at once or after a question about unsaved edits. `asked`: it was answered.
  void quit(bool asked);
  /// Ends at once because of a signal, and keeps unsaved work in a checkpoint.
  void stop();
  /// True when such a checkpoint of an earlier time waits.
  bool can_recover() const { return recovery_.has_value(); }
  /// Goes on with it.
  void recover();
  /// Calls `take` with the frame's pixels after the next drawing.
  void when_drawn(std::function<void(const Screenshot&)> take) {
    takers_.push_back(std::move(take));
  }
  Workspace& work() { return work_; }
  const Workspace& work() const { return work_; }
  Mouse& mouse() { return mouse_; }
  const Mouse& mouse() const { return mouse_; }
  Clipboard& clipboard() { return clipboard_; }
  DeviceMenu& devices() { return devices_; }
  PatternBrowser& browser() { return browser_; }
  /// Opens the pattern browser.
  void browse();

  // For scripts and measurements.

  /// False: frames are drawn only when somebody takes their pixels, which saves most of the time
  /// with OpenGL in software.
  void show_frames(bool shown) { show_frames_ = shown; }
  /// How long showing the last frame took, after it was drawn.
  double show_seconds() const { return show_seconds_; }
  /// True when everything asked for is done and visible.
  bool settled() const;
  /// Actions performed so far.
  const std::set<const Action*>& performed() const { return performed_; }
  DialogKind dialog() const { return dialog_ ? dialog_->kind() : DialogKind::none; }
  std::string dialog_error() const { return dialog_ ? dialog_->error() : ""; }
  bool menu_open() const { return menu_.open() || context_menu_.open(); }

 private:
  using Clock = std::chrono::steady_clock;

  void handle(const SDL_Event& event);
  void key_down(const SDL_KeyboardEvent& event);
  void key_up(const SDL_KeyboardEvent& event);
  void begin_frame();
  void draw_parts();
  void draw_dialog();
  void end_frame(Clock::time_point began);
  void let_keys_navigate() const;
  void layout();
  void share_pictures();
  void draw_cells();

  std::string settings_file_;
  std::optional<std::string> recovery_;  // that can be opened
  Window window_;
  FrameInput input_;
  Painter painter_;
  std::uint32_t wake_event_ = 0;
  Workspace work_;  // its thread ends before window and painter do
  Mouse mouse_;
  Clipboard clipboard_;
  DeviceMenu devices_;
  PatternBrowser browser_;
  Thumbnails thumbnails_;
  MenuBar menu_;
  ContextMenu context_menu_;
  Panel panel_;
  std::shared_ptr<Dialog> dialog_;  // the open one, or null

  const Action* held_ = nullptr;  // of the key that pans while it is held, or null
  bool ended_ = false;
  bool show_frames_ = true;
  Clock::time_point shown_{};
  double frame_seconds_ = 0;
  double show_seconds_ = 0;
  bool may_share_;                         // pictures may stay on the device
  std::optional<DeviceIdentity> sharing_;  // the device that draws them, as the session knows it
  std::set<const Action*> performed_;
  std::vector<std::function<void(const Screenshot&)>> takers_;
};

}  // namespace tessera
