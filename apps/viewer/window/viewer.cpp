#include "apps/viewer/window/viewer.h"

#include <backends/imgui_impl_sdl.h>
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "apps/common/console.h"
#include "apps/common/stop_signal.h"
#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/overlay.h"
#include "apps/viewer/window/panel_style.h"
#include "apps/viewer/window/recovery.h"
#include "apps/viewer/window/status_line.h"
#include "core/base/error.h"
#include "core/rules/state_looks.h"

namespace tessera {
namespace {

constexpr double kFrameSeconds = 1.0 / 60;
constexpr Chord kPanKey{SDLK_SPACE};  // while it is held, the left button moves the view

std::unique_ptr<Engine> make_engine(const ViewerOptions& options) {
  auto engine = std::make_unique<Engine>(options.device);
  if (!options.resume.empty()) {
    engine->open_checkpoint(options.resume);
  } else if (options.start.any()) {
    if (!options.start.soup.empty() || !options.start.pattern.empty()) {
      engine->begin(options.start);
    } else {
      engine->start_empty(resolve_rule(options.start, std::nullopt));
    }
  }
  if (!options.gens.empty()) {
    engine->go_to(engine->universe().generation() +
                  parse_count("--gens", options.gens, 0, std::int64_t{1} << 61));
  }
  return engine;
}

bool next_event(SDL_eventaction action, SDL_Event& event) {
  return SDL_PeepEvents(&event, 1, action, SDL_FIRSTEVENT, SDL_LASTEVENT) > 0;
}

// A menu or a list that lies over the rest.
bool list_open() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }

// The key that does the same among those that are no keypad's.
SDL_Keycode plain_key(SDL_Keycode key) {
  switch (key) {
    case SDLK_KP_PLUS:
      return '+';
    case SDLK_KP_MINUS:
      return '-';
    case SDLK_KP_ENTER:
      return SDLK_RETURN;
    default:
      return key;
  }
}

// As they were at an event; Dear ImGui would take those of now.
void tell_modifiers(int held) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyCtrl = (held & KMOD_CTRL) != 0;
  io.KeyShift = (held & KMOD_SHIFT) != 0;
  io.KeyAlt = (held & KMOD_ALT) != 0;
}

}  // namespace

Viewer::Viewer(const ViewerOptions& options, const Settings& settings, std::string settings_file)
    : settings_file_(std::move(settings_file)),
      window_("Tessera", settings.width, settings.height,
              options.ui_scale.empty() ? 0 : parse_number("--ui-scale", options.ui_scale, 0.5, 4),
              options.bench_frames.empty() && options.script.empty()),
      wake_event_(SDL_RegisterEvents(1)),
      work_(
          window_, settings, [&] { return make_engine(options); },
          [type = wake_event_] {
            SDL_Event event{};
            event.type = type;
            SDL_PushEvent(&event);
          }),
      mouse_(work_),
      clipboard_(work_),
      may_share_(options.pictures != "host") {
  dress_panel(settings.theme, window_.ui_scale());
  share_pictures();
  work_.fit_start();
  if (!settings_file_.empty()) recovery_ = newest_recovery();
  if (!options.start.any() && options.resume.empty()) {
    // Something to see at the first start.
    if (settings.gallery && !recovery_ && !PatternBrowser::roots().empty()) browse();
    work_.tell(
        "Draw with the mouse, drop a file, browse patterns (Ctrl+B) or create a soup "
        "(Ctrl+Shift+N). Press F1 for help.",
        false);
  }
  if (recovery_)
    work_.tell(
        "Unsaved work of an earlier time was kept: File, Recover unsaved work (Ctrl+Shift+O)",
        false);
}

Viewer::~Viewer() {
  if (settings_file_.empty()) return;
  Settings& settings = work_.settings;
  if (!window_.full_screen()) SDL_GetWindowSize(window_.get(), &settings.width, &settings.height);
  try {
    save_settings(settings_file_, settings);
  } catch (const std::exception& error) {
    SDL_LogError(SDL_LOG_CATEGORY_APPLICATION, "tessera-viewer: %s", error.what());
  }
}

void Viewer::run() {
  while (!ended_) {
    frame();
    // Nothing to draw, so sleeps until there is.
    if (!work_.needs_drawing() && !work_.waiting()) {
      SDL_WaitEventTimeout(nullptr, work_.toasts.empty() ? 1000 : 200);
      work_.redraw_once();
      continue;
    }
    const double left =
        kFrameSeconds - std::chrono::duration<double>(Clock::now() - shown_).count();
    if (!window_.vsync() && left > 0) SDL_Delay(static_cast<std::uint32_t>(left * 1000));
    shown_ = Clock::now();
  }
}

bool Viewer::settled() const {
  const Session& session = work_.session();
  return SDL_HasEvents(SDL_FIRSTEVENT, SDL_LASTEVENT) == SDL_FALSE && session.idle() &&
         !work_.waiting() && work_.picture && work_.picture == session.picture() &&
         work_.status.commands == session.posted();
}

void Viewer::perform(const Action& action) {
  performed_.insert(&action);
  action.perform(*this);
}

void Viewer::browse() { show(browser_dialog(work_, browser_, thumbnails_)); }

void Viewer::cancel() {
  if (list_open()) {
    ImGui::ClosePopupToLevel(0, true);
  } else if (dialog_) {
    dialog_.reset();
  } else if (!mouse_.cancel() && work_.status.selection) {
    work_.post([](Engine& engine) { engine.document().select(std::nullopt); });
  }
}

void Viewer::quit(bool asked) {
  if (work_.status.modified && !asked) {
    show(unsaved_dialog(
        work_, [this] { show(save_dialog(work_)); }, [this] { quit(true); }));
    return;
  }
  if (!work_.status.recording.empty()) work_.post([](Engine& engine) { engine.stop_recording(); });
  ended_ = true;
}

// On the simulation's thread, whose last command this is.
void Viewer::stop() {
  ended_ = true;
  if (!work_.status.recording.empty()) work_.post([](Engine& engine) { engine.stop_recording(); });
  work_.post([](Engine& engine) {
    const Status& now = engine.status();
    if (!now.modified && now.generation == now.start_generation) return;
    try {
      const std::string path = recovery_path();
      engine.keep(path);
      print_status(fmt::format(
          "tessera-viewer: unsaved work is kept in {}; the next start offers it\n", path));
    } catch (const Error& error) {
      print_error(error.what());
    }
  });
}

void Viewer::recover() {
  if (!recovery_) return;
  work_.post([path = *std::exchange(recovery_, std::nullopt)](Engine& engine) {
    engine.recover(path);
    set_aside(path);
  });
  work_.fit_start();
}

void Viewer::handle(const SDL_Event& event) {
  if (event.type == wake_event_) {
    work_.redraw_once();
    return;
  }
  work_.redraw();
  ImGui_ImplSDL2_ProcessEvent(&event);
  if (event.type == SDL_KEYDOWN || event.type == SDL_KEYUP) tell_modifiers(event.key.keysym.mod);
  switch (event.type) {
    case SDL_QUIT:
      quit(false);
      break;
    case SDL_KEYDOWN:
      key_down(event.key);
      break;
    case SDL_KEYUP:
      key_up(event.key);
      break;
    case SDL_DROPFILE:
      work_.open(event.drop.file);
      SDL_free(event.drop.file);
      break;
    case SDL_MOUSEBUTTONDOWN:
      mouse_.button_down(event.button);
      break;
    case SDL_MOUSEBUTTONUP:
      mouse_.button_up(event.button);
      break;
    case SDL_MOUSEMOTION:
      mouse_.moved(event.motion);
      break;
    case SDL_WINDOWEVENT:
      if (event.window.event == SDL_WINDOWEVENT_LEAVE) mouse_.leave();
      break;
    case SDL_MOUSEWHEEL:
      mouse_.wheel(event.wheel);
      break;
    default:
      break;
  }
}

void Viewer::key_down(const SDL_KeyboardEvent& event) {
  const Chord chord{plain_key(event.keysym.sym), (event.keysym.mod & KMOD_CTRL) != 0,
                    (event.keysym.mod & KMOD_SHIFT) != 0, (event.keysym.mod & KMOD_ALT) != 0};
  const Action* action = action_of(chord);
  if (!action) return;
  // Text fields and questions keep their keys, but for Escape and the function keys.
  const bool taken = ImGui::GetIO().WantTextInput || list_open() ||
                     (dialog_ && dialog_->kind() != DialogKind::help);
  const bool passes = chord.key == SDLK_ESCAPE || (chord.key >= SDLK_F1 && chord.key <= SDLK_F12);
  if (taken && !passes) return;
  // A field beside the cells is left, and nothing else is cancelled.
  if (chord.key == SDLK_ESCAPE && ImGui::GetIO().WantTextInput && !dialog_) return;
  if (chord == Chord{SDLK_RETURN} && mouse_.floating()) {
    mouse_.put_down();
  } else if (chord == kPanKey) {
    held_ = action;
    mouse_.hold_pan();
  } else {
    perform(*action);
  }
}

// A key that was held to pan has done its work.
void Viewer::key_up(const SDL_KeyboardEvent& event) {
  if (event.keysym.sym != kPanKey.key || !held_) return;
  const Action* action = std::exchange(held_, nullptr);
  if (!mouse_.release_pan()) perform(*action);
}

void Viewer::frame() {
  const Clock::time_point began = Clock::now();
  if (stop_signal() != 0 && !ended_) stop();
  SDL_PumpEvents();
  input_.begin();
  SDL_Event event;
  while (next_event(SDL_PEEKEVENT, event) && input_.takes(event)) {
    next_event(SDL_GETEVENT, event);
    handle(event);
  }
  begin_frame();
  draw_parts();
  end_frame(began);
}

// What the simulation has left, and where things lie.
void Viewer::begin_frame() {
  work_.notice_moves();
  work_.refresh();
  work_.toasts.expire();
  window_.begin_frame();
  mouse_.tell();
  let_keys_navigate();
  ImGui::NewFrame();
  work_.places.clear();
  work_.tooltip.clear();
  layout();
  work_.retry_all();
  work_.follow();
  work_.grow_step();
  const Camera& camera = work_.camera;
  work_.session().want({camera.visible(), camera.scale().cells, work_.settings.history});
  work_.picture = work_.session().picture();
  if (work_.picture && !painter_.take(*work_.picture)) share_pictures();
}

// In dialogs, menus and lists, keys move from item to item and press them; elsewhere they are those
// of actions.
void Viewer::let_keys_navigate() const {
  ImGuiIO& io = ImGui::GetIO();
  const bool navigates = dialog_ || list_open();
  io.ConfigFlags = navigates ? io.ConfigFlags | ImGuiConfigFlags_NavEnableKeyboard
                             : io.ConfigFlags & ~ImGuiConfigFlags_NavEnableKeyboard;
  // Dear ImGui presses items by Space alone.
  if (navigates && !io.WantTextInput &&
      (io.KeysDown[SDL_SCANCODE_RETURN] || io.KeysDown[SDL_SCANCODE_KP_ENTER]))
    io.NavInputs[ImGuiNavInput_Activate] = 1;
}

void Viewer::draw_parts() {
  mouse_.show_cursor();
  draw_overlay(work_, mouse_);
  menu_.draw(*this);
  context_menu_.draw(*this);
  if (work_.settings.panel) panel_.draw(*this);
  draw_status_line(work_, mouse_, frame_seconds_);
  work_.toasts.draw(static_cast<float>(work_.camera.width() / window_.pixel_ratio()));
  draw_dialog();
  ImGui::Render();
}

void Viewer::draw_dialog() {
  // It may open another one, and must not end meanwhile.
  const std::shared_ptr<Dialog> open = dialog_;
  if (open && !open->draw() && dialog_ == open) dialog_.reset();
}

void Viewer::end_frame(Clock::time_point began) {
  const bool shown = show_frames_ || !takers_.empty();
  if (shown) {
    draw_cells();
    window_.draw_panel();
  }
  if (!takers_.empty()) {
    const Screenshot shot = window_.read_pixels();
    for (const auto& take : std::exchange(takers_, {})) take(shot);
  }
  const Status& status = work_.status;
  window_.set_title(
      fmt::format("{}{} - Tessera", status.modified ? "* " : "",
                  std::filesystem::path(status.path.empty() ? status.source : status.path)
                      .filename()
                      .string()));
  work_.drawn();
  frame_seconds_ +=
      0.1 * (std::chrono::duration<double>(Clock::now() - began).count() - frame_seconds_);
  const Clock::time_point drawn = Clock::now();
  if (shown) window_.end_frame();
  show_seconds_ = std::chrono::duration<double>(Clock::now() - drawn).count();
}

// The rest of the window besides menu, panel and status line.
void Viewer::layout() {
  const double ratio = window_.pixel_ratio();
  const ImGuiStyle& style = ImGui::GetStyle();
  const float menu = ImGui::GetFrameHeight();
  const float status = ImGui::GetTextLineHeight() + 2 * style.FramePadding.y + 4;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  // In a small window the cells keep half of it.
  const float panel =
      work_.settings.panel ? std::min(300 * window_.ui_scale(), std::floor(size.x / 2)) : 0;
  work_.canvas = {0, static_cast<int>(menu * ratio)};
  work_.camera.resize(static_cast<int>((size.x - panel) * ratio),
                      static_cast<int>((size.y - menu - status) * ratio));
}

// At first, and when the driver has refused a picture.
void Viewer::share_pictures() {
  if (!may_share_ || painter_.device() == sharing_) return;
  sharing_ = painter_.device();
  work_.post([with = sharing_](Engine& engine) { engine.share_pictures(with); });
}

void Viewer::draw_cells() {
  const int width = window_.pixel_width(), height = window_.pixel_height();
  const Theme theme = work_.settings.theme;
  const Picture* picture = work_.picture.get();
  // Menu, panel and status line hide the rest, exactly where they lie at whole pixels.
  const double ratio = window_.pixel_ratio();
  if (ratio != std::floor(ratio)) painter_.clear(width, height, colours_of(theme).dead);
  CellColours colours;
  const bool states = picture && shown_by_state(picture->rule) && !picture->view.history;
  colours.inside = states ? palette_of_states(theme, picture->rule)
                          : palette_of(theme, picture && picture->view.history);
  const RuleSpec& rule = work_.status.rule;
  if (rule.has_edges()) {
    // Copies of a torus stay visible; beyond the edges of a plane or a tube there is nothing.
    const bool copies = rule.topology == Topology::torus && rule.bounded();
    const std::uint32_t veil = copies ? 0x90 : 0xff;
    colours.outside = veiled(colours.inside, colours_of(theme).outside, veil);
    colours.universe = rule.cells();
  }
  painter_.draw(picture, work_.camera, {work_.canvas.x, work_.canvas.y, height}, colours);
}

}  // namespace tessera
