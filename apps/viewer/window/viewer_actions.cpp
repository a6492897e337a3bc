// What every action does.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <utility>

#include "apps/viewer/window/viewer_ask.h"
#include "core/base/error.h"
#include "core/cells/rasterize.h"
#include "core/pattern_io.h"
#include "core/png.h"

namespace tessera {
namespace {

constexpr int kPan = 64;  // pixels that an arrow key moves
// A clipboard of more text than this harms other programs.
constexpr std::int64_t kMostClipboardCells = std::int64_t{1} << 26;
constexpr std::int64_t kMostStep = 1'000'000'000'000;

// The next of 1, 2, 5, 10, ...
std::int64_t larger(std::int64_t step) {
  for (std::int64_t ten = 1;; ten *= 10) {
    for (const std::int64_t nice : {ten, 2 * ten, 5 * ten}) {
      if (nice > step || nice >= kMostStep) return nice;
    }
  }
}

std::int64_t smaller(std::int64_t step) {
  std::int64_t below = 1;
  for (std::int64_t at = 1; at < step; at = larger(at)) below = at;
  return below;
}

// What was copied, and its text for the system's clipboard.
struct Clip {
  std::shared_ptr<const BitGrid> cells;
  std::string text;
};

Clip clip_of(Document& document, const RuleSpec& spec) {
  Clip clip{std::make_shared<const BitGrid>(document.selected()), ""};
  Pattern pattern;
  pattern.cells = runs_of(*clip.cells, {});
  pattern.width = clip.cells->width();
  pattern.height = clip.cells->height();
  pattern.rule = RuleSpec{spec.rule};
  if (pattern.width * pattern.height <= kMostClipboardCells)
    clip.text = format_pattern(pattern, PatternFormat::rle);
  return clip;
}

// A name that no file has yet: "tessera-0007.png".
std::string unused_name(const char* suffix) {
  for (int i = 1;; i++) {
    const std::string name = fmt::format("tessera-{:04}{}", i, suffix);
    std::error_code unknown;
    if (!std::filesystem::exists(name, unknown)) return name;
  }
}

}  // namespace

void Viewer::perform(Action action) {
  performed_.insert(action);
  switch (action) {
    case Action::new_universe:
      open_dialog(Dialog::new_universe);
      break;
    case Action::new_soup:
      open_dialog(Dialog::new_soup);
      break;
    case Action::open:
      open_dialog(Dialog::open);
      break;
    case Action::browse:
      open_dialog(Dialog::browser);
      break;
    case Action::save:
      status_.path.empty() ? open_dialog(Dialog::save) : save_file(status_.path);
      break;
    case Action::save_as:
      open_dialog(Dialog::save);
      break;
    case Action::screenshot:
      screenshot();
      break;
    case Action::record:
      if (status_.recording.empty()) {
        open_dialog(Dialog::record);
      } else {
        post([](Engine& engine) { engine.stop_recording(); });
      }
      break;
    case Action::quit:
      quit(false);
      break;
    case Action::undo:
      post([](Engine& engine) { engine.undo(); });
      break;
    case Action::redo:
      post([](Engine& engine) { engine.redo(); });
      break;
    case Action::cut:
      copy(true);
      break;
    case Action::copy:
      copy(false);
      break;
    case Action::paste:
      paste();
      break;
    case Action::paste_mode:
      settings_.paste_mode =
          static_cast<PasteMode>((static_cast<int>(settings_.paste_mode) + 1) % 3);
      tell(fmt::format("Paste mode: {}", name_of(settings_.paste_mode)), false);
      break;
    case Action::clear:
      post([](Engine& engine) { engine.document().clear_selected(); });
      break;
    case Action::clear_outside:
      post([](Engine& engine) { engine.document().clear_outside(); });
      break;
    case Action::clear_all:
      post([](Engine& engine) { engine.document().clear_all(); });
      break;
    case Action::fill: {
      const Soup soup = Soup::of(settings_.density, std::random_device{}());
      post([soup](Engine& engine) { engine.document().fill(soup); });
      break;
    }
    case Action::select_all:
      post([](Engine& engine) { engine.document().select_all(); });
      break;
    case Action::deselect:
      post([](Engine& engine) { engine.document().select(std::nullopt); });
      break;
    case Action::rotate_right:
      turn("Turn right", rotated);
      break;
    case Action::rotate_left:
      turn("Turn left", rotated, 3);
      break;
    case Action::flip_x:
      turn("Flip", flipped_x);
      break;
    case Action::flip_y:
      turn("Flip", flipped_y);
      break;
    case Action::tool_draw:
      tool_ = Tool::draw;
      break;
    case Action::tool_select:
      tool_ = Tool::select;
      break;
    case Action::tool_pan:
      tool_ = Tool::pan;
      break;
    case Action::run:
      post([](Engine& engine) { engine.run(!engine.running()); });
      break;
    case Action::step_one:
      post([](Engine& engine) { engine.step(1); });
      break;
    case Action::step:
      post([step = settings_.step](Engine& engine) { engine.step(step); });
      break;
    case Action::step_more:
      settings_.step = std::min(kMostStep, larger(settings_.step));
      break;
    case Action::step_less:
      settings_.step = smaller(settings_.step);
      break;
    case Action::faster:
    case Action::slower:
    case Action::full_speed: {
      const Speed speed(action == Action::full_speed
                            ? Speed::kLevels - 1
                            : settings_.speed_level + (action == Action::faster ? 1 : -1));
      settings_.speed_level = speed.level();
      post([speed](Engine& engine) { engine.set_speed(speed); });
      break;
    }
    case Action::go_to:
      open_dialog(Dialog::go_to);
      break;
    case Action::reset:
      post([](Engine& engine) { engine.reset(); });
      break;
    case Action::rule:
      open_dialog(Dialog::rule);
      break;
    case Action::next_backend:
      next_backend(false);
      break;
    case Action::next_kernel:
      next_backend(true);
      break;
    case Action::zoom_in:
      camera_.zoom(1, camera_.width() / 2, camera_.height() / 2);
      break;
    case Action::zoom_out:
      camera_.zoom(-1, camera_.width() / 2, camera_.height() / 2);
      break;
    case Action::zoom_one:
      camera_.zoom(-camera_.level(), camera_.width() / 2, camera_.height() / 2);
      break;
    case Action::fit:
      fit();
      break;
    case Action::left:
      camera_.pan(kPan, 0);
      break;
    case Action::right:
      camera_.pan(-kPan, 0);
      break;
    case Action::up:
      camera_.pan(0, kPan);
      break;
    case Action::down:
      camera_.pan(0, -kPan);
      break;
    case Action::centre:
      camera_.center_on({0, 0});
      break;
    case Action::grid:
      settings_.grid = !settings_.grid;
      break;
    case Action::history:
      settings_.history = !settings_.history;
      break;
    case Action::theme:
      settings_.theme = static_cast<Theme>((static_cast<int>(settings_.theme) + 1) % kThemes);
      dress_panel(settings_.theme, window_.ui_scale());
      break;
    case Action::panel:
      settings_.panel = !settings_.panel;
      break;
    case Action::graph:
      settings_.graph = !settings_.graph;
      break;
    case Action::full_screen:
      window_.toggle_full_screen();
      break;
    case Action::help:
      dialog_ == Dialog::help ? cancel() : open_dialog(Dialog::help);
      break;
    case Action::cancel:
      cancel();
      break;
  }
}

void Viewer::open_file(const std::string& path) {
  settings_.remember(path);
  post([path](Engine& engine) { engine.open(path); });
  fit_after();
}

void Viewer::save_file(const std::string& path) {
  settings_.remember(path);
  post([path](Engine& engine) { engine.save(path); });
}

void Viewer::copy(bool cut) {
  ask<Clip>(
      [cut](Engine& engine) {
        Clip clip = clip_of(engine.document(), engine.universe().spec());
        if (cut) engine.document().cut();
        return clip;
      },
      [this](Clip clip) {
        clipboard_ = clip.cells;
        clipboard_text_ = clip.text;
        if (clip.text.empty()) {
          tell("Too large for other programs' clipboard; it can be pasted here", false);
        } else if (SDL_SetClipboardText(clip.text.c_str()) != 0) {
          tell(fmt::format("The system's clipboard refuses: {}", SDL_GetError()), true);
        }
      });
}

// What this window copied last, or what another program put into the clipboard since.
void Viewer::paste() {
  char* system = SDL_GetClipboardText();
  const std::string text = system ? system : "";
  SDL_free(system);
  if (text.empty() || text == clipboard_text_) {
    if (clipboard_) {
      floating_ = clipboard_;
    } else {
      tell("The clipboard is empty", true);
    }
    return;
  }
  try {
    const Pattern pattern = parse_pattern(text, "clipboard");
    const std::optional<Bounds> box = pattern.cells.bounds();
    const std::int64_t width = box ? std::max(pattern.width, box->xmax + 1) : pattern.width;
    const std::int64_t height = box ? std::max(pattern.height, box->ymax + 1) : pattern.height;
    if (width < 1 || height < 1) throw InputError("clipboard: a pattern without cells");
    if (width > kMostClipboardCells / height)
      throw InputError("clipboard: a pattern too large to paste; open it as a file");
    BitGrid cells(width, height);
    draw_runs(pattern.cells, {}, cells, {});
    float_cells(std::move(cells));
  } catch (const Error& error) {
    tell(error.what(), true);
  } catch (const std::exception& error) {
    tell(fmt::format("clipboard: {}", error.what()), true);
  }
}

void Viewer::float_cells(BitGrid cells) {
  floating_ = std::make_shared<const BitGrid>(std::move(cells));
}

void Viewer::turn(const std::string& label, BitGrid (*change)(const BitGrid&), int times) {
  const auto turned = [change, times](const BitGrid& cells) {
    BitGrid out = change(cells);
    for (int i = 1; i < times; i++) out = change(out);
    return out;
  };
  if (floating_) {
    float_cells(turned(*floating_));
  } else {
    post([label, turned](Engine& engine) { engine.document().transform(label, turned); });
  }
}

// Live cells, or a bounded universe whole when it has none.
void Viewer::fit() {
  ask<Rect>(
      [](Engine& engine) {
        const RuleSpec& spec = engine.universe().spec();
        if (const std::optional<Bounds> box = engine.universe().bounds()) return box->rect();
        if (spec.bounded()) return Rect{spec.origin().x, spec.origin().y, spec.width, spec.height};
        return Rect{-16, -16, 32, 32};
      },
      [this](Rect rect) { camera_.fit(rect); });
}

// After a new start: the universe, or on the infinite plane the cells with room around them.
void Viewer::fit_after() {
  ask<std::pair<RuleSpec, Rect>>(
      [](Engine& engine) {
        const RuleSpec& spec = engine.universe().spec();
        if (spec.bounded())
          return std::pair{spec, Rect{spec.origin().x, spec.origin().y, spec.width, spec.height}};
        const Rect box = engine.universe().bounds().value_or(Bounds{-16, -16, 15, 15}).rect();
        const std::int64_t room = 4 + std::max(box.width, box.height) / 4;
        return std::pair{
            spec, Rect{box.x - room, box.y - room, box.width + 2 * room, box.height + 2 * room}};
      },
      [this](std::pair<RuleSpec, Rect> answer) {
        camera_.set_anchor(answer.first.bounded() ? answer.first.origin() : Cell{});
        camera_.fit(answer.second);
      });
}

void Viewer::screenshot() {
  const std::string path = unused_name(".png");
  when_drawn([this, path](const Screenshot& shot) {
    try {
      write_png(path, shot.width, shot.height, shot.pixels);
      tell("Saved " + path, false);
    } catch (const Error& error) {
      tell(error.what(), true);
    }
  });
}

void Viewer::record(const std::string& path) {
  RecordingLook look;
  look.view = {camera_.visible(), camera_.scale().cells, settings_.history};
  look.zoom = camera_.scale().pixels;
  look.palette = palette_of(settings_.theme, settings_.history);
  const std::int64_t every = settings_.step;
  post([path, look, every](Engine& engine) { engine.start_recording(path, look, every); });
}

void Viewer::quit(bool asked) {
  if (status_.modified && !asked) {
    open_dialog(Dialog::quit);
  } else {
    if (!status_.recording.empty()) post([](Engine& engine) { engine.stop_recording(); });
    ended_ = true;
  }
}

// The next device of the list, or the next kernel of the present one.
void Viewer::next_backend(bool kernel) {
  if (devices_.empty()) {
    // Drivers may take a while to tell their devices.
    pending_.push_back([this, kernel] {
      if (devices_.empty()) return false;
      next_backend(kernel);
      return true;
    });
    return;
  }
  const BackendInfo& now = status_.backend;
  const auto matches = [&](const DeviceLine& line) {
    return status_.backend_name == line.name ||
           line.name.substr(0, line.name.find(':')) == now.backend;
  };
  auto at = std::ranges::find_if(devices_, matches);
  if (at == devices_.end()) at = devices_.begin();
  std::string name = at->name, wanted = "auto";
  if (kernel) {
    const auto& kernels = at->kernels;
    // After one that did not take this universe comes the one behind it.
    const bool again = tried_.now == now.kernel && std::ranges::count(kernels, tried_.next) > 0;
    const auto here = std::ranges::find(kernels, again ? tried_.next : now.kernel);
    wanted = here == kernels.end() || std::next(here) == kernels.end() ? kernels.front()
                                                                       : *std::next(here);
    tried_ = {now.kernel, wanted};
  } else {
    name = (std::next(at) == devices_.end() ? devices_.begin() : std::next(at))->name;
  }
  post([name, wanted](Engine& engine) { engine.use_backend(name, wanted); });
}

}  // namespace tessera
