#include "apps/viewer/window/workspace.h"

#include <algorithm>
#include <utility>

#include "apps/viewer/window/field_error.h"

namespace tessera {

Workspace::Workspace(Window& in, const Settings& chosen,
                     const std::function<std::unique_ptr<Engine>()>& make,
                     std::function<void()> wake)
    : window(in), settings(chosen), session_(make, std::move(wake)) {
  refresh();
  set_speed(Speed(settings.speed_level));
}

void Workspace::refresh() {
  for (Message& message : session_.take_messages()) tell(message.text, message.error);
  session_.take_status(status);
  if (!(status.rule == seen_rule_)) {
    seen_rule_ = status.rule;
    camera.set_anchor(status.rule.origin());
  }
}

void Workspace::tell(const std::string& text, bool error) {
  toasts.add(text, error);
  redraw();
}

void Workspace::set_speed(Speed speed) {
  settings.speed_level = speed.level();
  post([speed, step = settings.step.generations()](Engine& engine) {
    engine.set_speed(speed, step);
  });
}

void Workspace::set_step(StepSize step) {
  settings.step = step;
  set_speed(Speed(settings.speed_level));
}

void Workspace::grow_step() {
  const auto now = std::chrono::steady_clock::now();
  const bool runs = hyperspeed && status.running && !status.goal && !status.speed.unlimited();
  if (!runs) grown_ = now;
  if (now - grown_ < std::chrono::seconds(1)) return;
  grown_ = now;
  const double asked = status.speed.per_second() * static_cast<double>(status.step);
  if (status.generations_per_second > 0.4 * asked) set_step(settings.step.larger());
}

void Workspace::retry(std::function<bool()> done) {
  if (!done()) waiting_.push_back(std::move(done));
}

// They may add more.
void Workspace::retry_all() {
  for (auto& done : std::exchange(waiting_, {})) retry(std::move(done));
}

void Workspace::attempt(Session::Command command,
                        std::function<void(const std::string& wrong)> then) {
  ask<std::string>(
      [command = std::move(command)](Engine& engine) -> std::string {
        try {
          command(engine);
        } catch (const DeviceError&) {
          throw;
        } catch (const Error& error) {
          return field_error(error);
        }
        return "";
      },
      then, [then] { then(""); });
}

void Workspace::open(const std::string& path) {
  ask<bool>(
      [path](Engine& engine) {
        engine.open(path);
        return true;
      },
      [this, path](bool) { opened(path); });
}

void Workspace::opened(const std::string& path) {
  settings.remember(path);
  fit_start();
}

void Workspace::save(const std::string& path) {
  ask<bool>(
      [path](Engine& engine) {
        engine.save(path);
        return true;
      },
      [this, path](bool) { settings.remember(path); });
}

void Workspace::notice_moves() {
  if (!(camera == followed_)) auto_fit = false;
}

// A status of before the last command may tell of cells that are gone.
void Workspace::follow() {
  if (auto_fit && status.bounds && !waiting() && status.commands == session_.posted())
    camera.follow(status.bounds->rect());
  followed_ = camera;
}

void Workspace::fit_selection() {
  if (status.selection) camera.fit(*status.selection);
}

void Workspace::fit() {
  ask<Rect>(
      [](Engine& engine) {
        const RuleSpec& spec = engine.universe().spec();
        if (const std::optional<Bounds> box = engine.universe().bounds()) return box->rect();
        return spec.bounded() ? spec.cells() : Rect{-16, -16, 32, 32}.common(spec.cells());
      },
      [this](Rect rect) { camera.fit(rect); });
}

void Workspace::fit_start() {
  ask<std::pair<RuleSpec, Rect>>(
      [](Engine& engine) {
        const RuleSpec& spec = engine.universe().spec();
        if (spec.bounded()) return std::pair{spec, spec.cells()};
        const Rect box = engine.universe().bounds().value_or(Bounds{-16, -16, 15, 15}).rect();
        const std::int64_t room = 4 + std::max(box.width, box.height) / 4;
        const Rect roomy{box.x - room, box.y - room, box.width + 2 * room, box.height + 2 * room};
        return std::pair{spec, roomy.common(spec.cells())};
      },
      [this](std::pair<RuleSpec, Rect> answer) {
        camera.set_anchor(answer.first.origin());
        camera.fit(answer.second);
        auto_fit = true;
      });
}

}  // namespace tessera
