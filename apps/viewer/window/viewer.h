#pragma once

#include <SDL.h>

#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/viewer/options.h"
#include "apps/viewer/simulation/camera.h"
#include "apps/viewer/simulation/session.h"
#include "apps/viewer/window/actions.h"
#include "apps/viewer/window/painter.h"
#include "apps/viewer/window/pattern_browser.h"
#include "apps/viewer/window/settings.h"
#include "apps/viewer/window/window.h"

namespace tessera {

enum class Tool { draw, select, pan };

/// Windows that ask for something; one at a time.
enum class Dialog {
  none,
  open,
  save,
  new_universe,
  new_soup,
  go_to,
  rule,
  record,
  browser,
  help,
  quit
};

/// The program's window: turns events into commands for the session, and draws what it left.
class Viewer {
 public:
  /// `settings_file`: where they are kept, or empty. Throws what Window and Engine throw.
  Viewer(const ViewerOptions& options, const Settings& settings, std::string settings_file);
  ~Viewer();

  /// Shows frames until the user quits.
  void run();

  // For scripts and measurements.

  /// Handles the events that wait, then draws and shows a frame.
  void frame();
  /// False: frames are drawn only when somebody takes their pixels, which saves most of the time
  /// where OpenGL is software.
  void show_frames(bool shown) { show_frames_ = shown; }
  /// How long the last frame was shown, after it was drawn.
  double show_seconds() const { return show_seconds_; }
  bool ended() const { return ended_; }
  /// True when everything asked for is done and seen.
  bool settled() const;
  Session& session() { return session_; }
  const Camera& camera() const { return camera_; }
  const Window& window() const { return window_; }
  const Settings& settings() const { return settings_; }
  /// Top left of the cells' view, in pixels.
  SDL_Point canvas() const { return canvas_; }
  void perform(Action action);
  /// Actions performed so far.
  const std::set<Action>& performed() const { return performed_; }
  /// Mouse for Dear ImGui while a script plays: the pointer's real place does not matter.
  void script_mouse(int x, int y) { scripted_mouse_ = SDL_Point{x, y}; }
  /// Does `take` with the frame's pixels after the next drawing.
  void when_drawn(std::function<void(const Screenshot&)> take) {
    takers_.push_back(std::move(take));
  }
  void tell(const std::string& text, bool error);
  const std::string& last_message() const { return last_message_; }
  Tool tool() const { return tool_; }
  Dialog dialog() const { return dialog_; }
  bool menu_open() const { return menu_open_; }
  PatternBrowser& browser() { return browser_; }
  /// Where a menu or menu item was drawn last, in window units, by its title.
  std::optional<SDL_Point> place_of(const std::string& title) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Toast {
    Message message;
    Clock::time_point until;
  };

  // Events (viewer_input.cpp).
  void handle(const SDL_Event& event);
  void key_down(const SDL_KeyboardEvent& event);
  void mouse_down(int button, SDL_Point at);
  void mouse_move(SDL_Point at);
  void mouse_up(int button, SDL_Point at);
  SDL_Point to_canvas(int x, int y) const;
  bool over_canvas(SDL_Point at) const;
  void put_down();
  void cancel();

  // Actions (viewer_actions.cpp).
  void open_dialog(Dialog dialog);
  void open_file(const std::string& path);
  void save_file(const std::string& path);
  void copy(bool cut);
  void paste();
  void float_cells(BitGrid cells);
  void turn(const std::string& label, BitGrid (*change)(const BitGrid&), int times = 1);
  void fit();
  void fit_after();
  void screenshot();
  void record(const std::string& path);
  void quit(bool asked);
  void next_backend(bool kernel);
  void post(Session::Command command) { session_.post(std::move(command)); }
  /// Asks the simulation thread, and does `then` here with its answer.
  template <class Answer>
  void ask(std::function<Answer(Engine&)> question, std::function<void(Answer)> then);

  // Drawing (viewer.cpp, viewer_overlay.cpp, viewer_panel.cpp, viewer_dialogs.cpp).
  void layout();
  void share_pictures();
  void draw_cells();
  void draw_overlay();
  void draw_grid();
  void draw_border();
  void draw_floating();
  void draw_menu();
  void draw_panel();
  void draw_devices();
  void draw_status();
  void draw_toasts();
  void draw_dialogs();
  void draw_file_dialog(bool saving);
  void draw_universe_dialog(bool soup);
  void draw_line_dialog(const char* title, const char* hint, const std::function<bool()>& accept);
  void draw_help();
  void draw_browser();
  void draw_quit();
  bool begin_dialog(const char* title, float width, float height = 0);
  void note_place(const std::string& title);

  Settings settings_;
  std::string settings_file_;
  Window window_;
  Painter painter_;
  Camera camera_;
  SDL_Point canvas_{};
  std::uint32_t wake_event_ = 0;
  Palette palette_{};
  bool ended_ = false;
  bool show_frames_ = true;
  int redraws_ = 3;  // frames that are drawn even if nothing happens
  Clock::time_point shown_{};
  double frame_seconds_ = 0;
  double show_seconds_ = 0;

  std::shared_ptr<const Picture> picture_;
  bool may_share_;                         // pictures may stay on the device
  std::optional<DeviceIdentity> sharing_;  // who draws them there, as the session knows
  Status status_;
  RuleSpec seen_rule_;
  std::vector<std::function<bool()>> pending_;
  std::vector<Toast> toasts_;
  std::string last_message_;
  std::set<Action> performed_;
  std::vector<std::function<void(const Screenshot&)>> takers_;

  // Mouse.
  Tool tool_ = Tool::draw;
  enum class Drag { none, pan, stroke, select, move } drag_ = Drag::none;
  SDL_Point pointer_{};
  SDL_Point drag_last_{};
  Cell drag_cell_{};
  Cell drag_now_{};
  std::optional<Rect> new_selection_;
  std::optional<SDL_Point> scripted_mouse_;
  std::array<bool, 5> scripted_buttons_{};

  // Floating cells: pasted, not yet put down.
  std::shared_ptr<const BitGrid> floating_;
  std::shared_ptr<const BitGrid> clipboard_;
  std::string clipboard_text_;

  // Dialogs.
  Dialog dialog_ = Dialog::none;
  bool menu_open_ = false;
  bool menu_closes_ = false;
  bool dialog_new_ = false;
  std::string field_, field2_, field3_;
  std::string dialog_error_;
  std::string replaced_;  // file that may be overwritten
  std::string rule_field_;
  std::string rule_error_;
  PatternBrowser browser_;
  struct DeviceLine {
    std::string name;   // as --backend takes it
    std::string title;  // with the vendor's name
    std::vector<std::string> kernels;
  };
  std::future<std::vector<DeviceLine>> listing_;
  std::vector<DeviceLine> devices_;
  struct {
    std::string now, next;
  } tried_;  // kernels of the last change
  std::vector<std::pair<std::string, SDL_Point>> places_;

  Session session_;  // last: its thread ends before the window does
};

}  // namespace tessera
