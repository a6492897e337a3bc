#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace tessera {

/// Identifies a device and its driver by the numbers that programming interfaces compare before
/// they share memory.
struct DeviceIdentity {
  std::array<std::uint8_t, 16> device{};
  std::array<std::uint8_t, 16> driver{};
  bool operator==(const DeviceIdentity&) const = default;
};

/// Memory of a device that another API on the same device and driver may import, by a file
/// descriptor that only they understand. The memory lasts as long as this object or an import of
/// it, even when the backend that writes to it is gone.
class SharedMemory {
 public:
  /// Takes the descriptor. `bytes`: size of the whole allocation. `used`: size of the part that an
  /// import may read, less than all. `dedicated`: the memory was made for one buffer, which an
  /// import must declare, too.
  SharedMemory(int descriptor, std::int64_t bytes, std::int64_t used, bool dedicated);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// Another descriptor of the memory, owned by the caller; -1 when the process has too many.
  int duplicate() const;
  std::int64_t bytes() const { return bytes_; }
  std::int64_t used() const { return used_; }
  bool dedicated() const { return dedicated_; }

 private:
  int descriptor_;
  std::int64_t bytes_;
  std::int64_t used_;
  bool dedicated_;
};

/// A picture in such memory, one byte per pixel, row by row without padding. Nothing is written to
/// it while anyone holds it.
struct SharedPicture {
  std::shared_ptr<const SharedMemory> memory;
  std::int64_t offset = 0;  ///< bytes from the memory's start to the first pixel, a multiple of 256
};

}  // namespace tessera
