// The checkpoint reader. Almost every change of a checkpoint breaks a checksum, so that nothing
// after it is reached. So inputs are also tried with all checksums corrected.

#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstring>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/files/checkpoint.h"
#include "properties.h"
#include "tests/support/saved.h"

using namespace tessera;
using namespace tessera::test;

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

// Walks the file as the header of its version documents it, putting the right checksum where each
// is expected.
std::string with_checksums(std::string bytes) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return std::size_t{value};
  };
  constexpr std::size_t kSum = 8;
  if (bytes.size() < 16) return bytes;
  // A section of version 2 has a type before its length.
  const std::size_t head = number(8) == 1 ? 4 : 8;
  std::size_t at = 16 + number(12);
  while (at + kSum <= bytes.size()) {
    const std::uint64_t sum = XXH3_64bits(bytes.data(), at);
    std::memcpy(bytes.data() + at, &sum, kSum);
    at += kSum;
    if (at + head > bytes.size()) break;
    at += head + number(at + head - 4);
  }
  return bytes;
}

// Reads and keeps the pieces that live, until they are too many: a small file can forge very many.
std::optional<Saved> read(const std::string& path) {
  constexpr std::int64_t kMemory = 16 << 20;
  CheckpointReader reader(path, kMemory);
  Saved out{reader.info(), reader.extent(), {}};
  std::int64_t bytes = 0;
  while (std::optional<Piece> piece = reader.next()) {
    fuzz::require(piece->cells.planes() == reader.planes(), "all pieces have the same planes");
    bytes += piece->cells.bytes() + 64;
    if (bytes > kMemory) return std::nullopt;
    if (piece->cells.population() > 0) out.pieces.push_back(*std::move(piece));
  }
  return out;
}

void check(std::string_view bytes) {
  try {
    const MemoryFile file(bytes);
    const std::optional<Saved> saved = read(file.path());
    if (!saved) return;
    const MemoryFile copy("");
    write_saved(copy.path(), *saved);
    fuzz::require(read_saved(copy.path()) == *saved, "a checkpoint written and read is the same");
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
