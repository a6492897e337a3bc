#include "apps/viewer/window/mouse.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace tessera {
namespace {

constexpr int kClick = 3;    // pixels; what moves less was not dragged
constexpr double kGrip = 6;  // window units from an edge that hold it

// From the mouse's last square to its present one.
Rect spanned(Cell a, Cell b, std::int64_t scale) {
  const std::int64_t x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.x, b.x) - x + scale, std::max(a.y, b.y) - y + scale};
}

bool inside(const Rect& rect, Cell cell) { return rect.contains({cell.x, cell.y, 1, 1}); }

}  // namespace

SDL_Point Mouse::to_canvas(int x, int y) const {
  const double ratio = work_.window.pixel_ratio();
  return {static_cast<int>(std::floor(x * ratio)) - work_.canvas.x,
          static_cast<int>(std::floor(y * ratio)) - work_.canvas.y};
}

bool Mouse::over_canvas(SDL_Point at) const {
  return at.x >= 0 && at.y >= 0 && at.x < work_.camera.width() && at.y < work_.camera.height() &&
         !ImGui::GetIO().WantCaptureMouse;
}

void Mouse::leave() {
  if (!scripted_) at_.reset();
}

void Mouse::tell() const {
  constexpr float kNowhere = -std::numeric_limits<float>::max();
  ImGuiIO& io = ImGui::GetIO();
  io.MousePos = at_ ? ImVec2{static_cast<float>(at_->x), static_cast<float>(at_->y)}
                    : ImVec2{kNowhere, kNowhere};
  for (std::size_t i = 0; i < buttons_.size(); i++) io.MouseDown[i] = buttons_[i];
}

void Mouse::note_button(const SDL_MouseButtonEvent& event) {
  at_ = SDL_Point{event.x, event.y};
  for (const auto& [button, i] :
       {std::pair{SDL_BUTTON_LEFT, 0u}, {SDL_BUTTON_RIGHT, 1u}, {SDL_BUTTON_MIDDLE, 2u}}) {
    if (event.button == button) buttons_[i] = event.state == SDL_PRESSED;
  }
}

std::optional<Grip> Mouse::grip(SDL_Point at) const {
  if (tool_now() != Tool::select || floating_ || !work_.status.selection) return std::nullopt;
  const double units = kGrip * work_.window.ui_scale() * work_.window.pixel_ratio();
  return grip_at(work_.camera, *work_.status.selection, at.x, at.y,
                 static_cast<int>(std::lround(units)));
}

Tool Mouse::tool_now() const {
  if (pan_held_) return Tool::pan;
  return tool == Tool::draw && work_.camera.scale().cells > 1 ? Tool::pan : tool;
}

void Mouse::hold_pan() {
  pan_used_ = pan_held_ && pan_used_;
  pan_held_ = true;
}

bool Mouse::release_pan() { return std::exchange(pan_held_, false) && pan_used_; }

void Mouse::show_cursor() const {
  const bool drags = drag_ != Drag::none;
  if (!drags && !over_canvas(pointer_)) return;
  const std::optional<Grip> held = drag_ == Drag::resize ? grip_ : grip(pointer_);
  const std::optional<Rect>& selection = work_.status.selection;
  const bool moves = tool_now() == Tool::select && selection && !floating_ &&
                     inside(*selection, work_.camera.cell_at(pointer_.x, pointer_.y));
  ImGuiMouseCursor cursor = ImGuiMouseCursor_Arrow;
  if (drag_ == Drag::pan || (!drags && tool_now() == Tool::pan && !floating_)) {
    cursor = ImGuiMouseCursor_Hand;
  } else if (held && (!drags || drag_ == Drag::resize)) {
    cursor = held->x == 0         ? ImGuiMouseCursor_ResizeNS
             : held->y == 0       ? ImGuiMouseCursor_ResizeEW
             : held->x == held->y ? ImGuiMouseCursor_ResizeNWSE
                                  : ImGuiMouseCursor_ResizeNESW;
  } else if (drag_ == Drag::move || (!drags && moves)) {
    cursor = ImGuiMouseCursor_ResizeAll;
  }
  ImGui::SetMouseCursor(cursor);
}

void Mouse::button_down(const SDL_MouseButtonEvent& event) {
  note_button(event);
  const SDL_Point at = to_canvas(event.x, event.y);
  pointer_ = at;
  if (!over_canvas(at) || drag_ != Drag::none) return;
  drag_button_ = event.button;
  drag_from_ = at;
  drag_cell_ = drag_now_ = work_.camera.cell_at(at.x, at.y);
  if (event.button == SDL_BUTTON_MIDDLE) {
    drag_ = Drag::pan;
  } else if (event.button == SDL_BUTTON_LEFT) {
    begin_left(at);
  } else if (event.button == SDL_BUTTON_RIGHT) {
    floating_ ? floating_.reset() : void(drag_ = Drag::right);
  }
}

void Mouse::begin_left(SDL_Point at) {
  pan_used_ = pan_held_;
  const Tool now = tool_now();
  if (floating_ && !pan_held_) {
    put_down();
  } else if (now == Tool::pan) {
    drag_ = Drag::pan;
    if (tool == Tool::draw && !pan_held_)
      work_.tell("Cells are smaller than a pixel here: dragging moves the view. Zoom in to draw.",
                 false);
  } else if (now == Tool::draw) {
    begin_stroke(at, true);
  } else if (const std::optional<Grip> held = grip(at)) {
    drag_ = Drag::resize;
    grip_ = *held;
    resized_from_ = *work_.status.selection;
  } else {
    const bool moves = work_.status.selection && inside(*work_.status.selection, drag_cell_);
    drag_ = moves ? Drag::move : Drag::select;
    if (!moves) new_selection_ = work_.camera.cells_at(at.x, at.y);
  }
}

void Mouse::begin_stroke(SDL_Point at, bool left) {
  drag_ = Drag::stroke;
  const Cell under = work_.camera.cell_at(at.x, at.y);
  // A press on a cell that has the state already erases.
  const int state = left ? std::min(draw_state, work_.status.rule.rule.states() - 1) : 0;
  work_.post([under, state](Engine& engine) {
    Document& document = engine.document();
    const int wanted = std::min(state, engine.universe().spec().rule.states() - 1);
    const int now = document.read({under.x, under.y, 1, 1}).state(0, 0);
    document.begin_stroke(now == wanted ? 0 : wanted);
    document.stroke(under, under);
  });
}

bool Mouse::moved_since_press(SDL_Point at) const {
  return std::abs(at.x - drag_from_.x) >= kClick || std::abs(at.y - drag_from_.y) >= kClick;
}

void Mouse::moved(const SDL_MouseMotionEvent& event) {
  at_ = SDL_Point{event.x, event.y};
  follow(to_canvas(event.x, event.y));
}

void Mouse::follow(SDL_Point at) {
  const SDL_Point before = std::exchange(pointer_, at);
  const Cell cell = work_.camera.cell_at(at.x, at.y);
  switch (drag_) {
    case Drag::none:
      break;
    case Drag::pan:
      work_.camera.pan(at.x - before.x, at.y - before.y);
      break;
    case Drag::select:
      new_selection_ = spanned(drag_cell_, cell, work_.camera.scale().cells);
      break;
    case Drag::move:
      drag_now_ = cell;
      break;
    case Drag::stroke: {
      const Cell from = std::exchange(drag_now_, cell);
      if (!(from == cell))
        work_.post([=](Engine& engine) { engine.document().stroke(from, cell); });
      break;
    }
    case Drag::right:
      // It is no click: it erases.
      if (work_.camera.scale().cells > 1 || !moved_since_press(at)) break;
      drag_now_ = drag_cell_;
      begin_stroke(drag_from_, false);
      follow(at);
      break;
    case Drag::resize:
      new_selection_ =
          resized(work_.camera, resized_from_, grip_, at.x - drag_from_.x, at.y - drag_from_.y);
      break;
  }
}

void Mouse::button_up(const SDL_MouseButtonEvent& event) {
  note_button(event);
  const SDL_Point at = to_canvas(event.x, event.y);
  follow(at);
  if (event.button != drag_button_) return;
  const Drag drag = std::exchange(drag_, Drag::none);
  switch (drag) {
    case Drag::none:
    case Drag::pan:
      break;
    case Drag::stroke:
      work_.post([](Engine& engine) { engine.document().end_stroke(); });
      break;
    case Drag::select: {
      // A click without dragging selects nothing.
      std::optional<Rect> rect = std::exchange(new_selection_, std::nullopt);
      if (!moved_since_press(at)) rect.reset();
      work_.post([rect](Engine& engine) { engine.document().select(rect); });
      break;
    }
    case Drag::right:
      menu_wanted_ = !moved_since_press(at);
      break;
    case Drag::resize:
      work_.post([rect = std::exchange(new_selection_, std::nullopt)](Engine& engine) {
        if (rect) engine.document().select(rect);
      });
      break;
    case Drag::move: {
      const std::int64_t dx = drag_now_.x - drag_cell_.x, dy = drag_now_.y - drag_cell_.y;
      const PasteMode mode = work_.settings.paste_mode;
      if (dx != 0 || dy != 0) {
        work_.post([=](Engine& engine) { engine.document().move_selection(dx, dy, mode); });
      } else {
        work_.post([](Engine& engine) { engine.document().select(std::nullopt); });
      }
      break;
    }
  }
}

void Mouse::wheel(const SDL_MouseWheelEvent& event) {
  if (over_canvas(pointer_)) work_.camera.zoom(std::clamp(event.y, -8, 8), pointer_.x, pointer_.y);
}

bool Mouse::cancel() {
  if (floating_) {
    floating_.reset();
  } else if (drag_ == Drag::select || drag_ == Drag::move || drag_ == Drag::resize) {
    drag_ = Drag::none;
    new_selection_.reset();
  } else {
    return false;
  }
  return true;
}

std::optional<Rect> Mouse::selection() const {
  if (new_selection_) return new_selection_;
  std::optional<Rect> shown = work_.status.selection;
  if (shown && drag_ == Drag::move) {
    shown->x += drag_now_.x - drag_cell_.x;
    shown->y += drag_now_.y - drag_cell_.y;
  }
  return shown;
}

Rect Mouse::floating_rect() const {
  const Cell at = work_.camera.cell_at(pointer_.x, pointer_.y);
  return {at.x - floating_->width() / 2, at.y - floating_->height() / 2, floating_->width(),
          floating_->height()};
}

void Mouse::put_down() {
  const Rect rect = floating_rect();
  work_.post([cells = floating_, rect, mode = work_.settings.paste_mode](Engine& engine) {
    engine.document().paste({rect.x, rect.y}, *cells, mode);
  });
  floating_.reset();
}

void Mouse::transform(const std::string& label, CellGrid (*change)(const CellGrid&)) {
  if (floating_) {
    floating_ = std::make_shared<const CellGrid>(change(*floating_));
  } else {
    work_.post([label, change](Engine& engine) { engine.document().transform(label, change); });
  }
}

}  // namespace tessera
