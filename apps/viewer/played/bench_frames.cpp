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

// Where the simulation is, as its own thread says.
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

}  // namespace

void bench_frames(Viewer& viewer, std::int64_t frames) {
  Session& session = viewer.session();
  viewer.show_frames(true);
  while (!viewer.settled()) viewer.frame();
  session.post([](Engine& engine) {
    engine.set_speed(Speed());
    engine.run(true);
  });
  const auto alone = [&] {
    session.want_pictures(false);
    mark(session);  // what was under way has ended
    const Mark begin = mark(session);
    SDL_Delay(
        static_cast<std::uint32_t>(std::clamp(seconds(frames * kFrame) / 2, 0.5, 5.0) * 1000));
    const Mark end = mark(session);
    session.want_pictures(true);
    return speed(begin, end);
  };
  std::vector<double> times, shown, pictures, answers;
  std::uint64_t serial = 0;
  std::int64_t shared = 0;
  DensityImage size;
  const auto paced = [&](std::int64_t count) {
    times.clear(), shown.clear(), pictures.clear(), answers.clear();
    shared = 0;
    const Mark begin = mark(session);
    Clock::time_point due = Clock::now();
    for (std::int64_t i = 0; i < count; i++) {
      const Clock::time_point start = Clock::now();
      if (i % 8 == 0) {
        session.post([start, &answers](Engine&) {  // read after a mark, on which it is done
          answers.push_back(seconds(Clock::now() - start));
        });
      }
      viewer.frame();
      viewer.window().finish();
      times.push_back(seconds(Clock::now() - start));
      shown.push_back(viewer.show_seconds());
      const auto picture = session.picture();
      if (picture && picture->serial != serial) {
        serial = picture->serial;
        pictures.push_back(picture->seconds);
        shared += picture->shared ? 1 : 0;
        size.width = picture->image.width, size.height = picture->image.height;
      }
      due = std::max(due + kFrame, Clock::now());
      std::this_thread::sleep_until(due);
    }
    return speed(begin, mark(session));
  };
  paced(20);  // until everything is compiled and the clocks have risen
  viewer.show_frames(false);
  const nlohmann::json unseen = paced(std::max<std::int64_t>(1, frames / 2));
  const nlohmann::json before = alone();
  viewer.show_frames(true);
  const nlohmann::json with = paced(frames);
  const nlohmann::json after = alone();
  session.post([](Engine& engine) { engine.run(false); });

  const Status status = session.status();
  nlohmann::json json;
  json["backend"] = status.backend.backend;
  json["device"] = status.backend.device;
  json["kernel"] = status.backend.kernel;
  json["renderer"] = viewer.window().renderer();
  json["rule"] = to_string(status.rule);
  json["window"] = {viewer.window().pixel_width(), viewer.window().pixel_height()};
  json["picture"] = {size.width, size.height};
  json["cells_a_pixel"] = viewer.camera().scale().cells;
  json["history"] = viewer.settings().history;
  json["frames"] = frames;
  json["frames_per_second"] = static_cast<double>(frames) / with["seconds"].get<double>();
  json["pictures"] = pictures.size();
  json["pictures_shared"] = shared;  // those that stayed on the device
  json["frame_ms"] = percentiles(times);
  json["show_ms"] = percentiles(shown);
  json["picture_ms"] = percentiles(pictures);
  json["answer_ms"] = percentiles(answers);
  json["without_drawing"] = {before, after};
  json["with_pictures_unseen"] = unseen;
  json["with_drawing"] = with;
  print(json.dump(2) + "\n");
}

}  // namespace tessera
