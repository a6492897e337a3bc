#include "apps/tessera/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "apps/common/console.h"
#include "apps/common/units.h"

namespace tessera {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirst = 500ms;
constexpr auto kBetween = 200ms;

std::size_t terminal_columns() {
  struct winsize size {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(const char* what, bool wanted, std::int64_t start,
                   std::optional<std::int64_t> end)
    : what_(what), wanted_(wanted && ::isatty(STDERR_FILENO)), start_(start), end_(end) {}

Progress::~Progress() { clear(); }

void Progress::update(std::int64_t at, double seconds, double cells) {
  if (!wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now - began_ < kFirst || (shown_ && now - last_ < kBetween)) return;
  last_ = now;

  const auto done = static_cast<double>(at - start_);
  const double share = end_ ? done / static_cast<double>(*end_ - start_) : 0;
  std::string text = fmt::format("{} {}", what_, grouped(at));
  if (end_) text += fmt::format(" of {}, {:.0f} %", grouped(*end_), 100 * share);
  if (seconds > 0) {
    text += fmt::format(", {} gen/s, {} cells/s", rate_text(done / seconds),
                        rate_text(cells / seconds));
  }
  if (end_ && share > 0) {
    const double elapsed = std::chrono::duration<double>(now - began_).count();
    text += fmt::format(", {} left", duration_text(elapsed / share * (1 - share)));
  }
  const std::size_t columns = terminal_columns() - 1;
  if (end_ && text.size() + 12 <= columns) {
    const std::size_t room = std::min<std::size_t>(30, columns - text.size() - 3);
    const auto full = static_cast<std::size_t>(share * static_cast<double>(room));
    text = fmt::format("[{:<{}}] {}", std::string(full, '='), room, text);
  }
  // Returns to the first column, prints the text, and erases the rest of a longer one.
  print_status(fmt::format("\r{}\x1b[K", text.substr(0, columns)));
  shown_ = true;
}

void Progress::clear() {
  if (shown_) print_status("\r\x1b[K");
  shown_ = false;
}

}  // namespace tessera
