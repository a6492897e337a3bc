#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "core/base/error.h"

namespace tessera {

/// The two ways in which a part of a grid passes rows on: to the part above it, and below.
enum class RowSide { above, below };

/// A port's place in a group: that of its band, from the top down.
struct RowGroup {
  std::string name;  ///< from RowPort::new_group
  int rank = 0, size = 1;
  std::int64_t rows = 0;  ///< at either end of own rows that neighbours get; at least 1
  bool alike = false;     ///< all members have one row_layout
};

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

  /// Tells that the backend's first `above` and last `below` rows repeat rows of other grids, and
  /// that what is wrong in them comes nearer from the edge by the rule's reach per generation: it
  /// need not step them any further. Once, before stepping.
  virtual void set_halos(std::int64_t /*above*/, std::int64_t /*below*/) {}
  /// Tells that these rows have all been replaced, by whatever way.
  virtual void halos_replaced() {}
  /// What the ports of other bands must know to exchange the `rows` rows at either end of own rows
  /// with this one by `trade`: bytes that mean something on the same host, with `elsewhere` in
  /// other processes, too. After set_halos. Empty where it has no such way.
  virtual std::string trade_address(std::int64_t /*rows*/, bool /*elsewhere*/) { return {}; }
  /// Prepares exchanges with the neighbours among bands of these addresses, one below the other,
  /// this port's own at `own`. Returns why that cannot be, as a part of a sentence, or nothing when
  /// it can; all of them must be able to, before any trades. Where the neighbours are in other
  /// processes, `leave_trades` must have been called by all before any of them goes.
  virtual std::optional<std::string> join_trades(std::span<const std::string> /*bands*/,
                                                 std::size_t /*own*/) {
    return "it passes no rows to other devices";
  }
  virtual void leave_trades() {}
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  /// Generations of a step from which on no row of the halos is any good after it, however deep
  /// they were, because devices stepped together; the same for all bands that trade.
  virtual std::int64_t uses_up() const { return kNever; }
  /// Tells that the next step ends with the exchange that `trade` then asks for, unless cells are
  /// replaced in between: the rows that go out may leave while it runs. On all bands or none.
  virtual void send_rows() {}
  /// Queues an exchange with the bands above and below, which must queue theirs, too, each from its
  /// own thread and as often; they need not meet. It comes after the steps queued earlier, and the
  /// steps queued later use what it brings. `sent`: all bands called send_rows before their last
  /// step, and no cells have been replaced since.
  virtual void trade(bool /*sent*/) {}

  /// Bytes that two ports have in common when one device has both; empty where a port's device does
  /// not matter.
  virtual std::string device_id() { return {}; }
  /// A name of this port's form of rows: own words travel between ports of equal, non-empty names.
  virtual std::string row_layout() { return {}; }
  /// The name of a new group of ports that exchange rows by a library of the devices' maker; any
  /// bytes, to be given to all members, which may be in other processes. Throws UnsupportedError
  /// where there is no such library.
  virtual std::string new_group();
  /// Makes this port a member; every member calls it at the same time, each on a thread of its own,
  /// after set_halos. From then on `trade` works within the group. Throws UnsupportedError and
  /// DeviceError.
  virtual void join_group(const RowGroup&) {}
  /// What waits for other members need wait no longer: one of them is lost. The cells are lost,
  /// too. From any thread.
  virtual void abandon() {}
};

inline std::string RowPort::new_group() {
  throw UnsupportedError("link nccl: only CUDA devices have it; auto and host are accepted here");
}

}  // namespace tessera
