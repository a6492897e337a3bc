#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// A key with its modifiers.
struct Chord {
  std::int32_t key = 0;  ///< SDL_Keycode; letters lower case
  bool ctrl = false;
  bool shift = false;
  bool alt = false;
  bool operator==(const Chord&) const = default;
};

/// "Ctrl+Shift+Z", "Space", "F5", "+"; nothing for a key without such a name.
std::optional<Chord> parse_chord(std::string_view text);

}  // namespace tessera
