#pragma once

#include <string_view>

namespace tessera {

/// Opens /dev/null in the place of closed standard streams, so that no file opened later is
/// mistaken for one, and ignores SIGPIPE, so that a closed pipe is an error that is reported. Call
/// first.
void prepare_console();

/// Writes to standard output at once. Throws FileError: a result that nobody received is a failure.
void print(std::string_view text);

/// Writes one line "tessera: MESSAGE" to standard error; control characters in it become '?'.
void print_error(std::string_view message);

/// Writes to standard error as it is, without buffering; nothing more can be done when that fails.
void print_status(std::string_view text);

}  // namespace tessera
