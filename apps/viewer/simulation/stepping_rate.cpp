#include "apps/viewer/simulation/stepping_rate.h"

namespace tessera {
namespace {

using namespace std::chrono_literals;

constexpr auto kRateWindow = 500ms;

}  // namespace

void SteppingRate::begin(const Universe& universe, Clock::time_point now) {
  began_ = now;
  generation_ = universe.generation();
  cells_ = universe.cells_stepped();
}

void SteppingRate::look(const Universe& universe, bool running, Clock::time_point now) {
  if (now - began_ >= kRateWindow) {
    const double seconds = std::chrono::duration<double>(now - began_).count();
    generations_per_second_ = static_cast<double>(universe.generation() - generation_) / seconds;
    cells_per_second_ = (universe.cells_stepped() - cells_) / seconds;
    begin(universe, now);
  }
  if (!running) generations_per_second_ = cells_per_second_ = 0;
}

}  // namespace tessera
