#include "apps/viewer/played/bench_frames.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "apps/common/console.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Clock::duration kFrame = std::chrono::nanoseconds(16'666'667);

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// The simulation's state, as its own thread reports it.
struct Mark {
  std::int64_t generation;
  double cells;
  Clock::time_point at;
};

Mark mark(Session& session) {
  std::promise<Mark> promise;
  session.post([&](Engine& engine) {
    promise.set_value(
        {engine.universe().generation(), engine.universe().cells_stepped(), Clock::now()});
  });
  return promise.get_future().get();
}

nlohmann::json speed(const Mark& from, const Mark& to) {
  const double time = seconds(to.at - from.at);
  return {{"seconds", time},
          {"generations_per_second", static_cast<double>(to.generation - from.generation) / time},
          {"cells_per_second", (to.cells - from.cells) / time}};
}

// In milliseconds.
nlohmann::json percentiles(std::vector<double> times) {
  if (times.empty()) return nullptr;
  std::ranges::sort(times);
  const auto at = [&](double share) {
    return 1000 * times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  return {{"p50", at(0.5)}, {"p95", at(0.95)}, {"p99", at(0.99)}, {"max", at(1)}};
}

// Paces a viewer that runs at full speed, and measures.
class FrameBench {
 public:
  explicit FrameBench(Viewer& viewer) : viewer_(viewer), session_(viewer.work().session()) {}

  void start();
  void stop();
  // The simulation's speed while no pictures are made, for half the time of so many frames.
  nlohmann::json alone(std::int64_t frames);
  // The simulation's speed meanwhile; times are those of these frames alone.
  nlohmann::json paced(std::int64_t frames);
  // What was simulated, who drew, and the times of the last frames that were paced.
  nlohmann::json report() const;

 private:
  struct Times {
    std::vector<double> frames, shown, pictures, answers;
    std::int64_t shared = 0;  // pictures that stayed on the device
  };
  void take_picture();

  Viewer& viewer_;
  Session& session_;
  Times times_;
  std::uint64_t serial_ = 0;  // of the last picture
  std::int64_t width_ = 0, height_ = 0;
};

void FrameBench::start() {
  viewer_.show_frames(true);
  while (!viewer_.settled()) viewer_.frame();
  session_.post([](Engine& engine) {
    engine.set_speed(Speed(), 1);
    engine.run(true);
  });
}

void FrameBench::stop() {
  session_.post([](Engine& engine) { engine.run(false); });
}

nlohmann::json FrameBench::alone(std::int64_t frames) {
  session_.want_pictures(false);
  mark(session_);  // earlier work has ended
  const Mark begin = mark(session_);
  SDL_Delay(static_cast<std::uint32_t>(std::clamp(seconds(frames * kFrame) / 2, 0.5, 5.0) * 1000));
  const Mark end = mark(session_);
  session_.want_pictures(true);
  return speed(begin, end);
}

void FrameBench::take_picture() {
  const auto picture = session_.picture();
  if (!picture || picture->serial == serial_) return;
  serial_ = picture->serial;
  times_.pictures.push_back(picture->seconds);
  times_.shared += picture->shared ? 1 : 0;
  width_ = picture->image.width, height_ = picture->image.height;
}

nlohmann::json FrameBench::paced(std::int64_t frames) {
  times_ = {};
  const Mark begin = mark(session_);
  Clock::time_point due = Clock::now();
  for (std::int64_t i = 0; i < frames; i++) {
    const Clock::time_point start = Clock::now();
    if (i % 8 == 0) {
      session_.post([start, &answers = times_.answers](Engine&) {  // read after a mark
        answers.push_back(seconds(Clock::now() - start));
      });
    }
    viewer_.frame();
    viewer_.work().window.finish();
    times_.frames.push_back(seconds(Clock::now() - start));
    times_.shown.push_back(viewer_.show_seconds());
    take_picture();
    due = std::max(due + kFrame, Clock::now());
    std::this_thread::sleep_until(due);
  }
  return speed(begin, mark(session_));
}

nlohmann::json FrameBench::report() const {
  const Status status = session_.status();
  const Workspace& work = viewer_.work();
  nlohmann::json json;
  json["backend"] = status.backend.backend;
  json["device"] = status.backend.device;
  json["kernel"] = status.backend.kernel;
  json["renderer"] = work.window.renderer();
  json["rule"] = to_string(status.rule);
  json["window"] = {work.window.pixel_width(), work.window.pixel_height()};
  json["picture"] = {width_, height_};
  json["cells_a_pixel"] = work.camera.scale().cells;
  json["history"] = work.settings.history;
  json["pictures"] = times_.pictures.size();
  json["pictures_shared"] = times_.shared;
  json["frame_ms"] = percentiles(times_.frames);
  json["show_ms"] = percentiles(times_.shown);
  json["picture_ms"] = percentiles(times_.pictures);
  json["answer_ms"] = percentiles(times_.answers);
  return json;
}

}  // namespace

void bench_frames(Viewer& viewer, std::int64_t frames) {
  FrameBench bench(viewer);
  bench.start();
  bench.paced(20);  // until everything is compiled and the clock rates have risen
  viewer.show_frames(false);
  const nlohmann::json unseen = bench.paced(std::max<std::int64_t>(1, frames / 2));
  const nlohmann::json before = bench.alone(frames);
  viewer.show_frames(true);
  const nlohmann::json with = bench.paced(frames);
  const nlohmann::json after = bench.alone(frames);
  bench.stop();
  nlohmann::json json = bench.report();
  json["frames"] = frames;
  json["frames_per_second"] = static_cast<double>(frames) / with["seconds"].get<double>();
  json["without_drawing"] = {before, after};
  json["with_pictures_unseen"] = unseen;
  json["with_drawing"] = with;
  print(json.dump(2) + "\n");
}

}  // namespace tessera
