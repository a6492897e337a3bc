#pragma once

#include <functional>
#include <string_view>

namespace tessera {

/// The exit code of `program`: what it returns, or, when it throws, kBadInput for an InputError and
/// kFailed for everything else, with the message on standard error. The whole of a main function:
/// closed standard streams and closed pipes are provided for first.
int run_program(const std::function<int()>& program);

/// Writes to standard output at once. Throws FileError: a result that nobody received is a failure.
void print(std::string_view text);

/// Writes one line "tessera: MESSAGE" to standard error; control characters in it become '?'.
void print_error(std::string_view message);

/// Writes to standard error as it is, without buffering; nothing more can be done when that fails.
void print_status(std::string_view text);

}  // namespace tessera
