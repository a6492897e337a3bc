#include "apps/common/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "core/error.h"
#include "core/paths.h"

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

}  // namespace

void prepare_console() {
  for (int descriptor = 0; descriptor <= 2; descriptor++) {
    // The lowest free number is taken. Standard output cannot be written through it, which `print`
    // reports.
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0) break;
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
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
