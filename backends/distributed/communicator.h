#pragma once

#include <stdexcept>

namespace tessera {

/// What a part sees of the others while all of them do the same work together.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// This part's number, 0 to size() - 1.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns when all parts have called it; what they did before is seen by all afterwards. Throws
  /// PartLost when one of them failed and will never come.
  virtual void barrier() = 0;
};

/// Another part failed; its own error tells why, and is the one that is reported.
class PartLost : public std::runtime_error {
 public:
  PartLost() : std::runtime_error("another part of the grid failed") {}
};

}  // namespace tessera
