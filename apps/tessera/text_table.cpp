#include "apps/tessera/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); i++) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  const auto filled = [&](std::size_t i) {
    return std::any_of(rows_.begin() + 1, rows_.end(),
                       [&](const auto& row) { return i < row.size() && !row[i].empty(); });
  };
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); i++) {
      if (!filled(i)) continue;
      const std::string cell = i < row.size() ? row[i] : "";
      line += i < left_ ? fmt::format("  {:<{}}", cell, widths[i])
                        : fmt::format("  {:>{}}", cell, widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace tessera
