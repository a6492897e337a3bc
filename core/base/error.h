#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// Base of everything that the library throws on purpose. `what()` is one line that names the
/// thing, the place and what would be accepted; the library itself never prints.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked for something that is not allowed: a malformed rule, an impossible size, a file
/// that does not exist. Programs exit with code 2.
class InputError : public Error {
 public:
  using Error::Error;
};

/// Text or bytes that do not follow their format. `place()` is "file:line:column" for text and
/// "file:byte offset" for binary data; it is already the beginning of `what()`.
class ParseError : public InputError {
 public:
  ParseError(const std::string& place, const std::string& message)
      : InputError(place + ": " + message), place_(place) {}
  const std::string& place() const { return place_; }

 private:
  std::string place_;
};

/// A backend, device or kernel cannot do what a spec asks; says which limit, what it is and what is
/// needed. Programs exit with code 2: another backend, kernel or size would be accepted.
class UnsupportedError : public InputError {
 public:
  using InputError::InputError;
};

/// More memory is needed than the limit allows; says needed and allowed. Exit code 1 when a running
/// universe grows past its limit, 2 when the request itself is too large (thrown as InputError
/// then).
class MemoryLimitError : public Error {
 public:
  using Error::Error;
};

/// A device or its driver failed while running: API, status, place and what to do. Exit code 1.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A device, or the host on its behalf, has no memory left for what was asked; nothing else failed,
/// and less might be had. Exit code 1, as for every DeviceError.
class DeviceMemoryError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The operating system refused to read or write: path and reason. Exit code 1.
class FileError : public Error {
 public:
  using Error::Error;
};

}  // namespace tessera
