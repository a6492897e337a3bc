#include "apps/measure/winner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tessera {
namespace {

constexpr double kSame = 1.005;  // what would be printed as 1 time as fast

std::string times(double factor) {
  return factor < 999.5 ? fmt::format("{:.3g}", factor) : fmt::format("{:.0f}", factor);
}

// "A", "A and B", "A, B and C".
std::string listed(const std::vector<Finisher>& all, std::size_t count) {
  std::string text = all.front().name;
  for (std::size_t i = 1; i < count; i++) text += (i + 1 < count ? ", " : " and ") + all[i].name;
  return text;
}

}  // namespace

std::string winner_sentence(std::vector<Finisher> all, const std::string& peer) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Finisher& a, const Finisher& b) { return a.seconds < b.seconds; });
  if (all.size() < 2 || all.front().seconds <= 0) return "";
  const double best = all.front().seconds;
  std::size_t first = 1;
  while (first < all.size() && all[first].seconds < kSame * best) first++;
  std::string text = listed(all, first) + (first == 1   ? " is fastest"
                                           : first == 2 ? " are equally fast"
                                                        : " are all equally fast");
  if (first == all.size()) return text;
  text +=
      fmt::format(", {} times as fast as {}", times(all[first].seconds / best), all[first].name);
  for (std::size_t i = first + 1; i < all.size(); i++) {
    if (all[i].name == peer)
      text += fmt::format(" and {} times as fast as {}", times(all[i].seconds / best), peer);
  }
  return text;
}

}  // namespace tessera
