#pragma once

#include <string>
#include <vector>

namespace tessera {

/// Rows of cells under a heading, aligned with blanks: the first `left` columns to the left, the
/// rest to the right.
class TextTable {
 public:
  TextTable(std::vector<std::string> heading, std::size_t left)
      : rows_{std::move(heading)}, left_(left) {}

  /// Adds a row; shorter rows are padded with empty cells.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() < 2; }
  /// The lines, two blanks in front of each and between columns; columns without any text are left
  /// out.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t left_;
};

}  // namespace tessera
