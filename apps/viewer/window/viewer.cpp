#include "apps/viewer/window/viewer.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "apps/viewer/window/viewer_ask.h"
#include "backends/drivers.h"
#include "core/base/error.h"

namespace tessera {
namespace {

using namespace std::chrono_literals;

constexpr auto kToastTime = 6s;
constexpr auto kErrorTime = 12s;
constexpr double kFrameSeconds = 1.0 / 60;
constexpr int kRedraws = 3;  // Dear ImGui settles within a few frames

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

}  // namespace

Viewer::Viewer(const ViewerOptions& options, const Settings& settings, std::string settings_file)
    : settings_(settings),
      settings_file_(std::move(settings_file)),
      window_("Tessera", settings.width, settings.height,
              options.ui_scale.empty() ? 0 : parse_number("--ui-scale", options.ui_scale, 0.5, 4),
              options.bench_frames.empty() && options.script.empty()),
      wake_event_(SDL_RegisterEvents(1)),
      may_share_(options.pictures != "host"),
      session_([&] { return make_engine(options); },
               [type = wake_event_] {
                 SDL_Event event{};
                 event.type = type;
                 SDL_PushEvent(&event);
               }) {
  listing_ = std::async(std::launch::async, [] {
    std::vector<DeviceLine> lines;
    for (const Driver* driver : drivers()) {
      std::vector<std::string> kernels;
      for (const KernelInfo& kernel : driver->kernels()) kernels.push_back(kernel.name);
      const DeviceList list = driver->devices();
      for (const DeviceInfo& device : list.devices) {
        const std::string name = list.devices.size() > 1
                                     ? fmt::format("{}:{}", driver->name(), device.index)
                                     : driver->name();
        lines.push_back({name, fmt::format("{}  {}", name, device.name), kernels});
      }
    }
    return lines;
  });
  palette_ = palette_of(settings_.theme, settings_.history);
  dress_panel(settings_.theme, window_.ui_scale());
  const Speed speed(settings_.speed_level);
  post([speed](Engine& engine) { engine.set_speed(speed); });
  share_pictures();
  status_ = session_.status();
  rule_field_ = to_string(status_.rule);
  fit_after();
  if (!options.start.any() && options.resume.empty()) {
    tell(
        "Draw with the mouse, drop a file, browse patterns (Ctrl+B) or make a soup (Ctrl+Shift+N); "
        "F1 tells more",
        false);
  }
}

Viewer::~Viewer() {
  if (settings_file_.empty()) return;
  if (!window_.full_screen()) SDL_GetWindowSize(window_.get(), &settings_.width, &settings_.height);
  try {
    save_settings(settings_file_, settings_);
  } catch (const std::exception& error) {
    SDL_LogError(SDL_LOG_CATEGORY_APPLICATION, "tessera-viewer: %s", error.what());
  }
}

void Viewer::tell(const std::string& text, bool error) {
  last_message_ = text;
  toasts_.push_back({{text, error}, Clock::now() + (error ? kErrorTime : kToastTime)});
  if (toasts_.size() > 5) toasts_.erase(toasts_.begin());
  redraws_ = kRedraws;
}

bool Viewer::settled() const {
  return session_.idle() && pending_.empty() && picture_ && picture_ == session_.picture() &&
         status_.commands == session_.posted();
}

void Viewer::run() {
  while (!ended_) {
    frame();
    // Nothing to draw: sleep until there is.
    if (redraws_ == 0 && pending_.empty()) {
      SDL_WaitEventTimeout(nullptr, toasts_.empty() ? 1000 : 200);
      redraws_ = 1;
      continue;
    }
    const double left =
        kFrameSeconds - std::chrono::duration<double>(Clock::now() - shown_).count();
    if (!window_.vsync() && left > 0) SDL_Delay(static_cast<std::uint32_t>(left * 1000));
    shown_ = Clock::now();
  }
}

void Viewer::frame() {
  const Clock::time_point start = Clock::now();
  SDL_Event event;
  while (SDL_PollEvent(&event)) handle(event);
  for (Message& message : session_.take_messages()) tell(message.text, message.error);
  status_ = session_.status();
  if (!(status_.rule == seen_rule_)) {
    seen_rule_ = status_.rule;
    rule_field_ = to_string(status_.rule);
    camera_.set_anchor(status_.rule.bounded() ? status_.rule.origin() : Cell{});
  }
  if (listing_.valid() && listing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    devices_ = listing_.get();
  std::erase_if(toasts_, [&](const Toast& toast) { return toast.until < start; });

  window_.begin_frame();
  if (scripted_mouse_) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {static_cast<float>(scripted_mouse_->x), static_cast<float>(scripted_mouse_->y)};
    for (std::size_t i = 0; i < 3; i++) io.MouseDown[i] = io.MouseDown[i] || scripted_buttons_[i];
  }
  ImGui::NewFrame();
  places_.clear();
  layout();
  // Answers may add questions.
  for (auto& done : std::exchange(pending_, {})) {
    if (!done()) pending_.push_back(std::move(done));
  }
  session_.want({camera_.visible(), camera_.scale().cells, settings_.history});
  picture_ = session_.picture();
  if (picture_ && !painter_.take(*picture_)) share_pictures();
  draw_overlay();
  draw_menu();
  if (settings_.panel) draw_panel();
  draw_status();
  draw_toasts();
  draw_dialogs();
  ImGui::Render();

  const bool shown = show_frames_ || !takers_.empty();
  if (shown) {
    draw_cells();
    window_.draw_panel();
  }
  if (!takers_.empty()) {
    const Screenshot shot = window_.read_pixels();
    for (const auto& take : std::exchange(takers_, {})) take(shot);
  }
  window_.set_title(fmt::format("{}{} - Tessera", status_.modified ? "* " : "",
                                std::filesystem::path(status_.source).filename().string()));
  if (redraws_ > 0) redraws_--;
  frame_seconds_ +=
      0.1 * (std::chrono::duration<double>(Clock::now() - start).count() - frame_seconds_);
  const Clock::time_point drawn = Clock::now();
  if (shown) window_.end_frame();
  show_seconds_ = std::chrono::duration<double>(Clock::now() - drawn).count();
}

// What is left of the window beside menu, panel and status line.
void Viewer::layout() {
  const double ratio = window_.pixel_ratio();
  const ImGuiStyle& style = ImGui::GetStyle();
  const float menu = ImGui::GetFrameHeight();
  const float status = ImGui::GetTextLineHeight() + 2 * style.FramePadding.y + 4;
  const float panel = settings_.panel ? 300 * window_.ui_scale() : 0;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  canvas_ = {0, static_cast<int>(menu * ratio)};
  camera_.resize(static_cast<int>((size.x - panel) * ratio),
                 static_cast<int>((size.y - menu - status) * ratio));
}

// At first, and when the driver has refused a picture.
void Viewer::share_pictures() {
  if (!may_share_ || painter_.device() == sharing_) return;
  sharing_ = painter_.device();
  post([with = sharing_](Engine& engine) { engine.share_pictures(with); });
}

void Viewer::draw_cells() {
  const int width = window_.pixel_width(), height = window_.pixel_height();
  const ThemeColours& theme = colours_of(settings_.theme);
  // Menu, panel and status line hide the rest, to the pixel where they lie at whole ones.
  const double ratio = window_.pixel_ratio();
  if (ratio != std::floor(ratio)) painter_.clear(width, height, theme.dead);
  CellColours colours;
  colours.inside = palette_of(settings_.theme, picture_ && picture_->view.history);
  const RuleSpec& rule = status_.rule;
  if (rule.bounded()) {
    // Copies of a torus stay visible; beyond a bounded plane there is nothing.
    const std::uint32_t veil = rule.topology == Topology::torus ? 0x90 : 0xff;
    colours.outside = veiled(colours.inside, theme.outside, veil);
    colours.universe = {rule.origin().x, rule.origin().y, rule.width, rule.height};
  }
  painter_.draw(picture_.get(), camera_, {canvas_.x, canvas_.y, height}, colours);
}

void Viewer::note_place(const std::string& title) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  places_.push_back(
      {title, {static_cast<int>((low.x + high.x) / 2), static_cast<int>((low.y + high.y) / 2)}});
}

std::optional<SDL_Point> Viewer::place_of(const std::string& title) const {
  for (const auto& [name, place] : places_) {
    if (name == title) return place;
  }
  return std::nullopt;
}

}  // namespace tessera
