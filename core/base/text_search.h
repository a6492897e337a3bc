#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tessera {

/// Whether `part` stands in `text`, in upper or lower case; an empty one does everywhere.
inline bool contains_any_case(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return part.empty() ||
         std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace tessera
