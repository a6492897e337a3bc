#include "apps/common/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "apps/common/exit_codes.h"
#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {
namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Opens /dev/null in place of closed standard streams, so that no file opened later is mistaken for
// one, and ignores SIGPIPE, so that a closed pipe is reported as an error.
void prepare_console() {
  for (int descriptor = 0; descriptor <= 2; descriptor++) {
    // The lowest free number is taken. It cannot be written to, which `print` reports for standard
    // output.
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0) break;
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

int run_program(const std::function<int()>& program) {
  prepare_console();
  try {
    return program();
  } catch (const InputError& error) {
    print_error(error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    print_error("out of memory: this machine has less than is needed; use a smaller universe");
    return kFailed;
  } catch (const std::exception& error) {
    print_error(error.what());
    return kFailed;
  }
}

void print(std::string_view text) {
  if (!write_all(STDOUT_FILENO, text)) {
    throw FileError(std::string("standard output: cannot write: ") + std::strerror(errno));
  }
}

void print_error(std::string_view message) {
  print_status("tessera: " + printable(message) + '\n');
}

void print_status(std::string_view text) { write_all(STDERR_FILENO, text); }

}  // namespace tessera
