// The checkpoint reader. Almost every change of a checkpoint breaks a checksum, so that nothing
// after it is reached. So inputs are also tried with all checksums corrected.

#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstring>
#include <string>

#include "core/base/error.h"
#include "core/files/checkpoint.h"
#include "properties.h"

using namespace tessera;

namespace {

// A file in memory that has a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes)
      : descriptor_(memfd_create("checkpoint", MFD_CLOEXEC)) {
    fuzz::require(descriptor_ >= 0, "a file in memory can be made");
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      fuzz::require(written > 0, "a file in memory can be written");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// Walks the file as its header documents it, putting the right checksum where each is expected.
std::string with_checksums(std::string bytes) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return std::size_t{value};
  };
  constexpr std::size_t kSum = 8;
  if (bytes.size() < 16) return bytes;
  std::size_t at = 16 + number(12);
  while (at + kSum <= bytes.size()) {
    const std::uint64_t sum = XXH3_64bits(bytes.data(), at);
    std::memcpy(bytes.data() + at, &sum, kSum);
    at += kSum;
    if (at + 4 > bytes.size()) break;
    at += 4 + number(at);
  }
  return bytes;
}

bool same(const Checkpoint& a, const Checkpoint& b) {
  return static_cast<const CheckpointInfo&>(a) == b && a.cells == b.cells;
}

void check(std::string_view bytes) {
  constexpr std::int64_t kMemory = 16 << 20;
  try {
    const MemoryFile file(bytes);
    const Checkpoint checkpoint = read_checkpoint(file.path(), kMemory);
    const MemoryFile copy("");
    write_checkpoint(copy.path(), checkpoint);
    fuzz::require(same(read_checkpoint(copy.path()), checkpoint),
                  "a checkpoint written and read is the same");
  } catch (const InputError& error) {
    const std::string message = error.what();
    fuzz::require(message.starts_with("/proc/self/fd/"), "a message begins with the name");
    fuzz::require(message.find('\n') == std::string::npos, "a message is one line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(fuzz::text_of(data, size));
  check(bytes);
  check(with_checksums(bytes));
  return 0;
}
