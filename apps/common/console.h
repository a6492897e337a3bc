#pragma once

#include <functional>
#include <string_view>

namespace tessera {

/// Runs `program` and returns its exit code: what it returns, or, when it throws, kBadInput for an
/// InputError and kFailed for everything else, with the message on standard error. This is the
/// whole of a main function; it first prepares for closed standard streams and closed pipes.
int run_program(const std::function<int()>& program);

/// Writes to standard output at once. Throws FileError, because a result that nobody received is a
/// failure.
void print(std::string_view text);

/// Writes one line "tessera: MESSAGE" to standard error; control characters in it become '?'.
void print_error(std::string_view message);

/// Writes text unchanged and unbuffered to standard error, and ignores failures.
void print_status(std::string_view text);

}  // namespace tessera
