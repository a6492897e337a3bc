#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

/// The two ways in which a part of a grid passes rows on: to the part above it, and below.
enum class RowSide { above, below };

/// Passes whole rows of a backend's cells to another backend's device without the host.
/// StepBackend::row_port offers it. Both grids have one width and as many bit planes.
///
/// Everything is queued: posting comes after the steps queued earlier here, taking after those
/// queued earlier there, and neither waits on the host. A post and the take of it may come from
/// different threads, which agree that the one has returned before the other begins, both ways.
class RowPort {
 public:
  virtual ~RowPort() = default;
  /// Comes once before all else: prepares both for what `from` will post on `side` and this port
  /// will take. Returns why that cannot be, as a part of a sentence, or nothing when it can.
  virtual std::optional<std::string> join(RowPort& from, RowSide side) = 0;
  /// Queues a copy of `rows` rows from row `y` on, which stays until the next post on that side.
  virtual void post(RowSide side, std::int64_t y, std::int64_t rows) = 0;
  /// Queues the replacement of rows from row `y` on by those that `from` posted on `side` last.
  /// Rows that were posted are taken once.
  virtual void take(RowPort& from, RowSide side, std::int64_t y) = 0;
};

}  // namespace tessera
