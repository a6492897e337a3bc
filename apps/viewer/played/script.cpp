#include "apps/viewer/played/script.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "apps/viewer/played/played_input.h"
#include "core/base/error.h"

namespace tessera {

Script::Script(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError("--script " + path + ": the file cannot be opened");
  std::string line;
  for (int number = 1; std::getline(file, line); number++) {
    const std::string place = fmt::format("{}:{}", path, number);
    std::istringstream words(line);
    std::string name, rest;
    if (!(words >> name) || name.starts_with('#')) continue;
    std::getline(words >> std::ws, rest);
    try {
      steps_.push_back({place, parse_step(name, rest)});
    } catch (const InputError& error) {
      throw ParseError(place + ":1", error.what());
    }
  }
}

Script::Script(std::int64_t events, std::uint64_t seed) {
  steps_.push_back({"--monkey", [=](Viewer& viewer) {
                      viewer.show_frames(true);
                      play_random_input(viewer, events, seed);
                    }});
}

void Script::play(Viewer& viewer) const {
  viewer.show_frames(false);
  for (int i = 0; i < 3; i++) viewer.frame();
  for (const Step& step : steps_) {
    if (viewer.ended()) return;
    try {
      step.act(viewer);
    } catch (const Error& error) {
      throw DeviceError(step.place + ": " + error.what());
    }
    viewer.frame();
  }
}

}  // namespace tessera
