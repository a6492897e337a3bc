#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace tessera {

/// How numbers of all parts become one.
enum class Reduction { sum, least, most };

/// Bytes on their way to or from another part. Between two parts those with equal tags arrive in
/// the order in which they were sent.
struct Outgoing {
  int to = 0;
  int tag = 0;  ///< 0 .. 1023
  std::span<const std::byte> bytes;
};
struct Incoming {
  int from = 0;
  int tag = 0;
  std::span<std::byte> bytes;  ///< as long as what is sent
};

/// What a part sees of the others while all of them do the same work together: threads of one
/// process, or processes. Every call but rank() and size() is made by all parts, in one order.
/// Each throws PartLost when one of the others failed and will never come.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// This part's number, 0 to size() - 1.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns when all parts have called it; what they did before is seen by all afterwards.
  virtual void barrier() = 0;
  /// Replaces everybody's bytes by those of part 0.
  virtual void broadcast(std::vector<std::byte>& bytes) = 0;
  /// Replaces each of the numbers, of which all parts give as many, by the reduction of all
  /// parts' numbers at that place. Sums are modulo 2^64.
  virtual void reduce(Reduction how, std::span<std::uint64_t> numbers) = 0;
  /// Sends and receives all of these; returns when all have arrived here and the sent bytes may
  /// be changed. Only the parts between which something travels call it, and several threads of one
  /// part may do so at a time where each has other partners or tags.
  virtual void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
};

/// Another part failed; its own error tells why, and is the one that is reported.
class PartLost : public std::runtime_error {
 public:
  PartLost() : std::runtime_error("another part of the grid failed") {}
};

/// The smaller one of a pair, the larger, or the sum.
inline std::uint64_t reduced(Reduction how, std::uint64_t a, std::uint64_t b) {
  if (how == Reduction::sum) return a + b;
  return (how == Reduction::least) == (a < b) ? a : b;
}

}  // namespace tessera
