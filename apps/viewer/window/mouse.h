#pragma once

#include <SDL.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/viewer/window/grip.h"
#include "apps/viewer/window/workspace.h"

namespace tessera {

/// What the left button does.
enum class Tool { draw, select, pan };

/// The mouse on the cells: tools, drags, and floating cells, which are pasted but not yet put down.
/// Where cells are smaller than a pixel, nothing is drawn: the draw tool moves the view.
class Mouse {
 public:
  explicit Mouse(Workspace& work) : work_(work) {}

  Tool tool = Tool::draw;
  /// Drawn cells get this state, or the highest that the rule has.
  int draw_state = 1;
  /// What the left button does now: `tool`, but where cells are too small to draw, or while the
  /// key that pans is held.
  Tool tool_now() const;

  /// A key is held that makes the left button move the view. Letting go returns true when the mouse
  /// has made use of it.
  void hold_pan();
  bool release_pan();

  void button_down(const SDL_MouseButtonEvent& event);
  void moved(const SDL_MouseMotionEvent& event);
  void button_up(const SDL_MouseButtonEvent& event);
  void wheel(const SDL_MouseWheelEvent& event);
  /// Drops floating cells, or a selection that is being dragged. False when there was neither.
  bool cancel();

  /// Where it is, in pixels of the cells' view.
  SDL_Point pointer() const { return pointer_; }
  /// Shows by the cursor's shape what the left button would do.
  void show_cursor() const;
  /// The selection as it is or, while it is dragged, as it would be.
  std::optional<Rect> selection() const;

  /// True, once, when a click of the right button asked for a menu.
  bool take_menu_request() { return std::exchange(menu_wanted_, false); }

  /// The cells that float, or null.
  const std::shared_ptr<const CellGrid>& floating() const { return floating_; }
  /// Which cells of the universe lie under the floating ones.
  Rect floating_rect() const;
  void take_up(std::shared_ptr<const CellGrid> cells) { floating_ = std::move(cells); }
  /// Pastes the floating cells where they are.
  void put_down();
  /// Changes the floating cells or, when there are none, the selected ones; `label` is that of the
  /// undo.
  void transform(const std::string& label, CellGrid (*change)(const CellGrid&));

  /// From now on a script moves the mouse, which nothing takes out of the window.
  void script() { scripted_ = true; }
  /// It was moved out of the window.
  void leave();
  /// Tells Dear ImGui where it is as of the events handled so far, before its frame begins: by
  /// itself it would ask where the mouse is by now.
  void tell() const;

 private:
  enum class Drag { none, pan, stroke, select, move, resize, right };

  void note_button(const SDL_MouseButtonEvent& event);
  SDL_Point to_canvas(int x, int y) const;
  bool over_canvas(SDL_Point at) const;
  void follow(SDL_Point at);
  void begin_left(SDL_Point at);
  void begin_stroke(SDL_Point at, bool left);
  bool moved_since_press(SDL_Point at) const;
  std::optional<Grip> grip(SDL_Point at) const;

  Workspace& work_;
  Drag drag_ = Drag::none;
  std::uint8_t drag_button_ = 0;  // that ends it
  SDL_Point pointer_{};
  SDL_Point drag_from_{};
  Cell drag_cell_{};
  Cell drag_now_{};
  Grip grip_;
  Rect resized_from_{};
  std::optional<Rect> new_selection_;
  bool menu_wanted_ = false;
  bool pan_held_ = false;
  bool pan_used_ = false;
  std::shared_ptr<const CellGrid> floating_;
  bool scripted_ = false;
  std::optional<SDL_Point> at_;    // in window units; nothing: outside
  std::array<bool, 3> buttons_{};  // left, right and middle, as Dear ImGui counts them
};

}  // namespace tessera
