// Keys and mouse.

#include <backends/imgui_impl_sdl.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "apps/viewer/window/viewer.h"

namespace tessera {
namespace {

constexpr int kRedraws = 3;

// From the square that the mouse was in to the one it is in.
Rect spanned(Cell a, Cell b, std::int64_t scale) {
  const std::int64_t x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.x, b.x) - x + scale, std::max(a.y, b.y) - y + scale};
}

bool inside(const Rect& rect, Cell cell) { return rect.contains({cell.x, cell.y, 1, 1}); }

}  // namespace

SDL_Point Viewer::to_canvas(int x, int y) const {
  const double ratio = window_.pixel_ratio();
  return {static_cast<int>(std::floor(x * ratio)) - canvas_.x,
          static_cast<int>(std::floor(y * ratio)) - canvas_.y};
}

bool Viewer::over_canvas(SDL_Point at) const {
  return at.x >= 0 && at.y >= 0 && at.x < camera_.width() && at.y < camera_.height() &&
         !ImGui::GetIO().WantCaptureMouse;
}

void Viewer::handle(const SDL_Event& event) {
  redraws_ = std::max(redraws_, event.type == wake_event_ ? 1 : kRedraws);
  if (event.type == wake_event_) return;
  ImGui_ImplSDL2_ProcessEvent(&event);
  switch (event.type) {
    case SDL_QUIT:
      quit(false);
      break;
    case SDL_KEYDOWN:
      key_down(event.key);
      break;
    case SDL_DROPFILE:
      open_file(event.drop.file);
      SDL_free(event.drop.file);
      break;
    case SDL_MOUSEBUTTONDOWN:
      if (scripted_mouse_) scripted_buttons_[event.button.button == SDL_BUTTON_LEFT ? 0 : 1] = true;
      mouse_down(event.button.button, to_canvas(event.button.x, event.button.y));
      break;
    case SDL_MOUSEBUTTONUP:
      scripted_buttons_ = {};
      mouse_up(event.button.button, to_canvas(event.button.x, event.button.y));
      break;
    case SDL_MOUSEMOTION:
      mouse_move(to_canvas(event.motion.x, event.motion.y));
      break;
    case SDL_MOUSEWHEEL:
      if (over_canvas(pointer_))
        camera_.zoom(std::clamp(event.wheel.y, -8, 8), pointer_.x, pointer_.y);
      break;
    default:
      break;
  }
}

void Viewer::key_down(const SDL_KeyboardEvent& event) {
  const Chord chord{event.keysym.sym, (event.keysym.mod & KMOD_CTRL) != 0,
                    (event.keysym.mod & KMOD_SHIFT) != 0, (event.keysym.mod & KMOD_ALT) != 0};
  const std::optional<Action> action = action_of(chord);
  if (!action) return;
  const bool function_key = chord.key >= SDLK_F1 && chord.key <= SDLK_F12;
  // Text fields and questions keep their keys.
  const bool taken =
      ImGui::GetIO().WantTextInput || (dialog_ != Dialog::none && dialog_ != Dialog::help);
  if (taken && action != Action::cancel && !function_key) return;
  if (action == Action::step && floating_) {
    put_down();
    return;
  }
  perform(*action);
}

void Viewer::mouse_down(int button, SDL_Point at) {
  pointer_ = at;
  if (!over_canvas(at) || drag_ != Drag::none) return;
  drag_last_ = at;
  drag_cell_ = drag_now_ = camera_.cell_at(at.x, at.y);
  if (button == SDL_BUTTON_MIDDLE ||
      (tool_ == Tool::pan && button == SDL_BUTTON_LEFT && !floating_)) {
    drag_ = Drag::pan;
    return;
  }
  if (button != SDL_BUTTON_LEFT && button != SDL_BUTTON_RIGHT) return;
  const bool left = button == SDL_BUTTON_LEFT;
  if (floating_) {
    if (left) {
      put_down();
    } else {
      floating_.reset();
    }
    return;
  }
  const Rect under = camera_.cells_at(at.x, at.y);
  if (tool_ == Tool::select && left) {
    const bool moves = status_.selection && inside(*status_.selection, drag_cell_);
    drag_ = moves ? Drag::move : Drag::select;
    if (!moves) new_selection_ = under;
    return;
  }
  drag_ = Drag::stroke;
  post([under, left](Engine& engine) {
    Document& document = engine.document();
    document.begin_stroke(left && document.read(under).population() == 0);
    document.stroke({under.x, under.y}, {under.x, under.y}, under.width);
  });
}

void Viewer::mouse_move(SDL_Point at) {
  const SDL_Point before = std::exchange(pointer_, at);
  const Cell cell = camera_.cell_at(at.x, at.y);
  switch (drag_) {
    case Drag::none:
      break;
    case Drag::pan:
      camera_.pan(at.x - before.x, at.y - before.y);
      break;
    case Drag::select:
      new_selection_ = spanned(drag_cell_, cell, camera_.scale().cells);
      break;
    case Drag::move:
      drag_now_ = cell;
      break;
    case Drag::stroke: {
      const Cell from = std::exchange(drag_now_, cell);
      const std::int64_t brush = camera_.scale().cells;
      if (!(from == cell))
        post([=](Engine& engine) { engine.document().stroke(from, cell, brush); });
      break;
    }
  }
}

void Viewer::mouse_up(int button, SDL_Point at) {
  mouse_move(at);
  const Drag drag = std::exchange(drag_, Drag::none);
  switch (drag) {
    case Drag::none:
    case Drag::pan:
      break;
    case Drag::stroke:
      post([](Engine& engine) { engine.document().end_stroke(); });
      break;
    case Drag::select: {
      // A click without dragging selects nothing.
      std::optional<Rect> rect = std::exchange(new_selection_, std::nullopt);
      if (std::abs(at.x - drag_last_.x) < 3 && std::abs(at.y - drag_last_.y) < 3) rect.reset();
      post([rect](Engine& engine) { engine.document().select(rect); });
      break;
    }
    case Drag::move: {
      const std::int64_t dx = drag_now_.x - drag_cell_.x, dy = drag_now_.y - drag_cell_.y;
      const PasteMode mode = settings_.paste_mode;
      if (dx != 0 || dy != 0) {
        post([=](Engine& engine) { engine.document().move_selection(dx, dy, mode); });
      } else if (button == SDL_BUTTON_LEFT) {
        post([](Engine& engine) { engine.document().select(std::nullopt); });
      }
      break;
    }
  }
}

void Viewer::put_down() {
  const Cell at = camera_.cell_at(pointer_.x, pointer_.y);
  const Cell corner{at.x - floating_->width() / 2, at.y - floating_->height() / 2};
  const PasteMode mode = settings_.paste_mode;
  post([cells = floating_, corner, mode](Engine& engine) {
    engine.document().paste(corner, *cells, mode);
  });
  floating_.reset();
}

void Viewer::cancel() {
  if (menu_open_) {
    menu_closes_ = true;
  } else if (dialog_ != Dialog::none) {
    dialog_ = Dialog::none;
  } else if (floating_) {
    floating_.reset();
  } else if (drag_ == Drag::select || drag_ == Drag::move) {
    drag_ = Drag::none;
    new_selection_.reset();
  } else if (status_.selection) {
    post([](Engine& engine) { engine.document().select(std::nullopt); });
  }
}

}  // namespace tessera
