#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

/// Makes text from outside fit for a one-line message: control characters become '?', and anything
/// beyond `limit` bytes becomes "...".
std::string printable(std::string_view text, std::size_t limit = 4096);

/// True for /dev/stdout, /dev/fd/63 (as shells pass pipes) and other names of open descriptors.
bool names_open_descriptor(const std::string& path);

}  // namespace tessera
