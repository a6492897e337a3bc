#include "apps/common/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/pictures/age_map.h"
#include "core/pictures/visible_share.h"
#include "core/rules/state_looks.h"

namespace tessera {
namespace {

struct Stop {
  double at;  // 0 .. 1
  int red, green, blue;
};

// Between stops, ascending.
std::uint32_t blend(std::initializer_list<Stop> stops, double at) {
  const Stop* low = stops.begin();
  const Stop* high = low;
  for (const Stop& stop : stops) {
    high = &stop;
    if (stop.at >= at) break;
    low = &stop;
  }
  const double span = high->at - low->at;
  const double share = span > 0 ? (at - low->at) / span : 0;
  const auto mix = [share](int a, int b) {
    return static_cast<std::uint32_t>(std::lround(a + share * (b - a)));
  };
  return 0xff000000u | mix(low->blue, high->blue) << 16 | mix(low->green, high->green) << 8 |
         mix(low->red, high->red);
}

constexpr std::uint32_t rgb(std::uint32_t hex, std::uint32_t alpha = 0xff) {
  return alpha << 24 | (hex & 0xff) << 16 | (hex & 0xff00) | hex >> 16;
}

std::uint32_t density_colour(Theme theme, double share) {
  switch (theme) {
    case Theme::dark:
      return blend({{0, 13, 17, 23}, {0.5, 88, 166, 255}, {1, 240, 246, 252}}, share);
    case Theme::light:
      return blend({{0, 250, 250, 248}, {1, 24, 28, 36}}, share);
    case Theme::phosphor:
      return blend({{0, 4, 12, 6}, {0.6, 40, 190, 90}, {1, 190, 255, 200}}, share);
  }
  return 0;
}

std::uint32_t live_colour(Theme theme, double age) {
  switch (theme) {
    case Theme::dark:
      return blend({{0, 255, 250, 224},
                    {0.12, 255, 214, 90},
                    {0.3, 247, 129, 60},
                    {0.5, 219, 61, 106},
                    {0.75, 132, 76, 190},
                    {1, 64, 84, 178}},
                   age);
    case Theme::light:
      return blend({{0, 214, 64, 32}, {0.3, 214, 140, 20}, {0.6, 38, 139, 160}, {1, 26, 50, 110}},
                   age);
    case Theme::phosphor:
      return blend({{0, 235, 255, 235}, {0.3, 110, 255, 140}, {1, 24, 130, 60}}, age);
  }
  return 0;
}

// `fresh`: 1 just died, 0 nearly faded.
std::uint32_t trail_colour(Theme theme, double fresh) {
  switch (theme) {
    case Theme::dark:
      return blend({{0, 17, 22, 31}, {0.5, 24, 38, 66}, {1, 44, 74, 120}}, fresh);
    case Theme::light:
      return blend({{0, 244, 244, 240}, {1, 205, 216, 226}}, fresh);
    case Theme::phosphor:
      return blend({{0, 5, 17, 8}, {1, 12, 66, 32}}, fresh);
  }
  return 0;
}

constexpr std::array<ThemeColours, kThemes> kColours = {{
    {rgb(0x0d1117), rgb(0x05070a), rgb(0x21262d), rgb(0x30363d), rgb(0x58a6ff), rgb(0xf0c040),
     rgb(0x2f81f7)},
    {rgb(0xfafaf8), rgb(0xe2e2dd), rgb(0xe4e4e0), rgb(0xcacac4), rgb(0x0969da), rgb(0xd1660a),
     rgb(0x0969da)},
    {rgb(0x040c06), rgb(0x010402), rgb(0x0b2412), rgb(0x14401f), rgb(0x39d96a), rgb(0xe8f070),
     rgb(0x1f9d4a)},
}};

}  // namespace

const char* name_of(Theme theme) {
  constexpr const char* kNames[kThemes] = {"dark", "light", "phosphor"};
  return kNames[static_cast<int>(theme)];
}

Theme parse_theme(const std::string& option, const std::string& text) {
  for (int i = 0; i < kThemes; i++) {
    const auto theme = static_cast<Theme>(i);
    if (text == name_of(theme)) return theme;
  }
  throw InputError(fmt::format("{}: '{}' is not a theme; dark, light and phosphor are accepted",
                               option, printable(text)));
}

const ThemeColours& colours_of(Theme theme) { return kColours[static_cast<std::size_t>(theme)]; }

Palette palette_of(Theme theme, bool history) {
  Palette palette{};
  palette[0] = colours_of(theme).dead;
  for (int byte = 1; byte < 256; byte++) {
    auto& colour = palette[static_cast<std::size_t>(byte)];
    if (!history) {
      colour = density_colour(theme, visible_share(static_cast<std::uint8_t>(byte)));
    } else if (byte >= AgeMap::kFirstLive) {
      colour = live_colour(theme, (byte - AgeMap::kFirstLive) / double{255 - AgeMap::kFirstLive});
    } else {
      colour = trail_colour(theme, (byte - AgeMap::kFirstTrail) /
                                       double{AgeMap::kFirstLive - 1 - AgeMap::kFirstTrail});
    }
  }
  return palette;
}

Palette palette_of_states(Theme theme, const Rule& rule) {
  Palette palette{};
  palette[0] = colours_of(theme).dead;
  for (int state = 1; state < 256; state++) {
    const double age = std::min(1.0, (state - 1) / std::max(1.0, rule.states() - 2.0));
    palette[static_cast<std::size_t>(state)] = live_colour(theme, age);
  }
  for (int state = 0; state < rule.states(); state++) {
    if (const std::optional<FileColour> own = colour_of_state(rule, state)) {
      palette[static_cast<std::size_t>(state)] =
          rgb(std::uint32_t{own->red} << 16 | std::uint32_t{own->green} << 8 | own->blue);
    }
  }
  return palette;
}

Palette veiled(const Palette& palette, std::uint32_t colour, std::uint32_t alpha) {
  Palette out{};
  std::ranges::transform(palette, out.begin(), [=](std::uint32_t under) {
    std::uint32_t mixed = 0xff000000;
    for (const int shift : {0, 8, 16}) {
      const std::uint32_t sum =
          (colour >> shift & 0xff) * alpha + (under >> shift & 0xff) * (255 - alpha);
      mixed |= (sum + 127) / 255 << shift;
    }
    return mixed;
  });
  return out;
}

}  // namespace tessera
