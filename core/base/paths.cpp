#include "core/base/paths.h"

namespace tessera {

std::string printable(std::string_view text, std::size_t limit) {
  std::string out(text.substr(0, limit));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  if (text.size() > limit) out += "...";
  return out;
}

bool names_open_descriptor(const std::string& path) {
  return path == "/dev/stdin" || path == "/dev/stdout" || path == "/dev/stderr" ||
         path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

}  // namespace tessera
