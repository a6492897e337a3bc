#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tessera {

/// Whole rows of a backend's cells as it holds them, so that they travel to another backend that
/// holds its rows alike without being converted. StepBackend::row_form offers it.
class RowForm {
 public:
  virtual ~RowForm() = default;
  /// Backends with grids of one width hold their rows alike where these names are equal.
  virtual std::string name() const = 0;
  /// 64-bit words of a row.
  virtual std::int64_t words() const = 0;
  /// Copies rows from row y on, as many as `rows` has room for.
  virtual void read(std::int64_t y, std::span<std::uint64_t> rows) const = 0;
  /// Replaces rows from row y on by those of a grid of the same name.
  virtual void write(std::int64_t y, std::span<const std::uint64_t> rows) = 0;
};

}  // namespace tessera
