#pragma once

namespace tessera {

/// The small letter of one of A to Z; anything else as it is. Whatever the locale.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

}  // namespace tessera
