#include "apps/viewer/bench_frames.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/common/console.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

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

}  // namespace

void bench_frames(Viewer& viewer, std::int64_t frames) {
  constexpr double kFrame = 1.0 / 60;
  Session& session = viewer.session();
  while (!viewer.settled()) viewer.frame();
  session.post([](Engine& engine) {
    engine.set_speed(Speed());
    engine.run(true);
  });
  const auto alone = [&] {
    session.want_pictures(false);
    mark(session);  // what was under way has ended
    const Mark begin = mark(session);
    SDL_Delay(static_cast<std::uint32_t>(
        std::clamp(static_cast<double>(frames) * kFrame, 0.5, 10.0) * 1000));
    const Mark end = mark(session);
    session.want_pictures(true);
    return speed(begin, end);
  };
  const nlohmann::json without = alone();

  std::vector<double> times;
  std::uint64_t serial = 0;
  std::int64_t pictures = 0;
  const Mark begin = mark(session);
  for (std::int64_t i = 0; i < frames; i++) {
    const Clock::time_point start = Clock::now();
    viewer.frame();
    const double time = seconds(Clock::now() - start);
    times.push_back(time);
    const auto picture = session.picture();
    if (picture && picture->serial != serial) serial = picture->serial, pictures++;
    if (time < kFrame) SDL_Delay(static_cast<std::uint32_t>((kFrame - time) * 1000));
  }
  const Mark end = mark(session);
  const nlohmann::json with = speed(begin, end);
  session.post([](Engine& engine) { engine.run(false); });

  std::ranges::sort(times);
  const auto percentile = [&](double share) {
    return 1000 * times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  const Status status = session.status();
  nlohmann::json json;
  json["backend"] = status.backend.backend;
  json["device"] = status.backend.device;
  json["kernel"] = status.backend.kernel;
  json["rule"] = to_string(status.rule);
  json["window"] = {viewer.window().pixel_width(), viewer.window().pixel_height()};
  json["frames"] = frames;
  json["frames_per_second"] = static_cast<double>(frames) / seconds(end.at - begin.at);
  json["pictures"] = pictures;
  json["frame_ms"] = {{"p50", percentile(0.5)},
                      {"p95", percentile(0.95)},
                      {"p99", percentile(0.99)},
                      {"max", percentile(1)}};
  json["without_drawing"] = without;
  json["with_drawing"] = with;
  print(json.dump(2) + "\n");
}

}  // namespace tessera
