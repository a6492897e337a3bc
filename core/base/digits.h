#pragma once

namespace tessera {

/// Whether a character, or a byte that a source gave, is a decimal digit; the end of a source is
/// none.
constexpr bool is_digit(int c) { return c >= '0' && c <= '9'; }

}  // namespace tessera
