#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/patterns/pattern.h"
#include "core/patterns/text_source.h"

// What libFuzzer, or the replay of a corpus, calls with each input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tessera::fuzz {

/// The name that inputs have in messages.
inline constexpr const char* kName = "input";

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process, which a fuzzer counts as a crash, unless `holds`.
void require(bool holds, const char* what);

/// Requires a message for people: one line of bounded length that begins with the input's name.
void require_message(const std::string& message);

/// Requires what every pattern that was read must be, and that writing it in each format and
/// reading that gives the same pattern again.
void require_pattern(const Pattern& pattern);

/// Gives the bytes to a reader: it must make a good pattern, or throw InputError with a good
/// message.
void check_reader(Pattern (*read)(TextSource&), std::string_view bytes);

/// The same with the macrocell reader, which must say what is in the file before it makes cells. A
/// file that stands for many is not unpacked.
void check_macrocell(std::string_view bytes);

}  // namespace tessera::fuzz
