#include "backends/distributed/rank_error.h"

#include <fmt/format.h>

#include <cstdint>
#include <new>
#include <string>

#include "core/base/error.h"

namespace tessera {
namespace {

enum class Kind : std::uint8_t { input, unsupported, device_memory, device, memory, file, other };

Kind kind_of(const std::exception& error) {
  if (dynamic_cast<const UnsupportedError*>(&error)) return Kind::unsupported;
  if (dynamic_cast<const InputError*>(&error)) return Kind::input;
  if (dynamic_cast<const DeviceMemoryError*>(&error)) return Kind::device_memory;
  if (dynamic_cast<const DeviceError*>(&error)) return Kind::device;
  if (dynamic_cast<const MemoryLimitError*>(&error)) return Kind::memory;
  if (dynamic_cast<const FileError*>(&error)) return Kind::file;
  return Kind::other;
}

[[noreturn]] void throw_error(Kind kind, const std::string& what) {
  switch (kind) {
    case Kind::input:
      throw InputError(what);
    case Kind::unsupported:
      throw UnsupportedError(what);
    case Kind::device_memory:
      throw DeviceMemoryError(what);
    case Kind::device:
      throw DeviceError(what);
    case Kind::memory:
      throw MemoryLimitError(what);
    case Kind::file:
      throw FileError(what);
    case Kind::other:
      break;
  }
  throw Error(what);
}

}  // namespace

RankMessage letter_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return RankMessage().put(Kind::device_memory).put(std::string("out of memory"));
  } catch (const std::exception& each) {
    return RankMessage().put(kind_of(each)).put(std::string(each.what()));
  }
}

void throw_letter(RankMessage& letter, int rank) {
  const auto kind = letter.take<Kind>();
  throw_error(kind, fmt::format("rank {}: {}", rank, letter.take_text()));
}

}  // namespace tessera
