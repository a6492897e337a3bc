#include "apps/viewer/window/population_graph.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "apps/common/units.h"

namespace tessera {
namespace {

// One value per pixel, by generation: samples lie as far apart as their generations.
std::vector<float> spread(const std::vector<PopulationSample>& samples, int pixels) {
  std::vector<float> values;
  if (samples.size() < 2) return values;
  const auto at = [&](std::size_t i) { return static_cast<double>(samples[i].generation); };
  const double step = (at(samples.size() - 1) - at(0)) / std::max(1, pixels - 1);
  std::size_t next = 1;
  for (int x = 0; x < pixels; x++) {
    const double generation = at(0) + x * step;
    while (next + 1 < samples.size() && at(next) < generation) next++;
    const double share =
        std::clamp((generation - at(next - 1)) / (at(next) - at(next - 1)), 0.0, 1.0);
    values.push_back(
        static_cast<float>(std::lerp(static_cast<double>(samples[next - 1].population),
                                     static_cast<double>(samples[next].population), share)));
  }
  return values;
}

}  // namespace

void draw_population_graph(const Status& status, float width, float height) {
  const std::vector<PopulationSample>& samples = status.populations;
  const std::vector<float> values = spread(samples, static_cast<int>(width));
  ImGui::PlotLines("##population", values.data(), static_cast<int>(values.size()), 0, nullptr, 0,
                   std::numeric_limits<float>::max(), {width, height});
  if (samples.empty()) return;
  ImGui::TextDisabled("%s in generations %s to %s", grouped(status.population).c_str(),
                      grouped(samples.front().generation).c_str(),
                      grouped(samples.back().generation).c_str());
}

}  // namespace tessera
