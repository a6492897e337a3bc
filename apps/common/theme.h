#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/rules/rule.h"

namespace tessera {

/// 256 colours, 0xAABBGGRR, for the bytes of a picture.
using Palette = std::array<std::uint32_t, 256>;

/// The looks of the window, and of coloured pictures and videos.
enum class Theme { dark, light, phosphor };
inline constexpr int kThemes = 3;

/// "dark", "light", "phosphor".
const char* name_of(Theme theme);
/// The theme of a name. Throws InputError, naming `option`, for another one.
Theme parse_theme(const std::string& option, const std::string& text);

/// Colours of a theme, 0xAABBGGRR.
struct ThemeColours {
  std::uint32_t dead;       ///< cells
  std::uint32_t outside;    ///< beyond a bounded plane
  std::uint32_t grid;       ///< lines between cells
  std::uint32_t grid_ten;   ///< every tenth of them
  std::uint32_t border;     ///< of a bounded universe
  std::uint32_t selection;  ///< its outline
  std::uint32_t accent;     ///< of the panel
};
const ThemeColours& colours_of(Theme theme);

/// Colours of the bytes of a picture: greys, of which dark ones are brightened for thin soups, or,
/// with `history`, the bytes of AgeMap: newborn cells bright, old ones deep, trails fading. Every
/// byte differs from byte 0, so that a single live cell among millions is visible.
Palette palette_of(Theme theme, bool history);

/// Colours of the states of a rule as the bytes of a picture: those of its rule file
/// (colour_of_state), else state 1 like a newborn cell and the others ever deeper.
Palette palette_of_states(Theme theme, const Rule& rule);

/// The colours mixed with another colour: `alpha` of 255.
Palette veiled(const Palette& palette, std::uint32_t colour, std::uint32_t alpha);

}  // namespace tessera
