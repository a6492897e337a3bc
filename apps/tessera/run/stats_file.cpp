#include "apps/tessera/run/stats_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/cells/state_hash.h"
#include "core/universe.h"

namespace tessera {
namespace {

// The generation that begins a row, or nothing when it is no row of ours.
std::optional<std::int64_t> generation_of(const std::string& row) {
  std::int64_t generation = 0;
  const auto [stop, status] = std::from_chars(row.data(), row.data() + row.size(), generation);
  if (status != std::errc{} || stop == row.data() + row.size() || *stop != ',') return std::nullopt;
  return generation;
}

std::string header_for(int states) {
  std::string header = StatsFile::kHeader;
  for (int state = 1; states > 2 && state < states; state++)
    header += fmt::format(",state_{}", state);
  return header + "\n";
}

}  // namespace

StatsFile::StatsFile(const std::string& path, int states)
    : path_(path), states_(states), header_(header_for(states)) {
  open(O_TRUNC);
  append(header_);
}

StatsFile::StatsFile(const std::string& path, int states, std::int64_t generation,
                     const Schedule& schedule)
    : path_(path), states_(states), header_(header_for(states)) {
  open(0);
  struct stat status {};
  if (descriptor_ != STDOUT_FILENO && ::fstat(descriptor_, &status) == 0 &&
      S_ISREG(status.st_mode) && status.st_size > 0) {
    keep_rows(generation, schedule);
  } else {
    append(header_);
  }
}

StatsFile::~StatsFile() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
}

void StatsFile::open(int flags) {
  if (path_ == "-") {
    path_ = "standard output";
    descriptor_ = STDOUT_FILENO;
    return;
  }
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (descriptor_ < 0) fail("cannot open");
}

void StatsFile::keep_rows(std::int64_t generation, const Schedule& schedule) {
  std::ifstream in(path_, std::ios::binary);
  std::string row;
  std::getline(in, row);
  if (row + '\n' != header_) {
    throw InputError(fmt::format(
        "{}:1:1: this is not a statistics file, which begins with {}; give --stats another name",
        printable(path_), header_.substr(0, header_.size() - 1)));
  }
  std::int64_t kept = static_cast<std::int64_t>(row.size()) + 1;
  // A last row without its line end was cut short.
  for (std::int64_t line = 2; std::getline(in, row) && !in.eof(); line++) {
    const std::optional<std::int64_t> found = generation_of(row);
    if (!found) {
      throw InputError(
          fmt::format("{}:{}:1: this is not a row of statistics; give --stats another name",
                      printable(path_), line));
    }
    if (*found > generation || (*found == generation && !schedule.has(generation))) break;
    last_ = *found;
    kept += static_cast<std::int64_t>(row.size()) + 1;
  }
  if (in.bad()) fail("cannot read");
  if (::ftruncate(descriptor_, kept) != 0) fail("cannot cut off later rows");
  if (::lseek(descriptor_, 0, SEEK_END) < 0) fail("cannot append");
}

void StatsFile::add(Universe& universe) {
  if (last_ == universe.generation()) return;
  const Survey cells = universe.survey();
  std::string box = ",,,";
  if (const std::optional<Bounds>& b = cells.bounds) {
    box = fmt::format("{},{},{},{}", b->xmin, b->ymin, b->xmax, b->ymax);
  }
  std::string row = fmt::format("{},{},{},{}", universe.generation(), cells.population, box,
                                hash_text(cells.hash));
  if (states_ > 2) {
    const std::vector<std::int64_t> counts = universe.census();
    for (int state = 1; state < states_; state++)
      row += fmt::format(",{}", counts[static_cast<std::size_t>(state)]);
  }
  append(row + "\n");
  last_ = universe.generation();
}

void StatsFile::append(const std::string& row) {
  const off_t start = ::lseek(descriptor_, 0, SEEK_CUR);
  std::size_t done = 0;
  while (done < row.size()) {
    const ssize_t written = ::write(descriptor_, row.data() + done, row.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int reason = errno;
      // Pipes and devices have nothing to cut off.
      [[maybe_unused]] const bool cut = start >= 0 && ::ftruncate(descriptor_, start) == 0;
      errno = reason;
      fail("cannot write");
    }
    done += static_cast<std::size_t>(written);
  }
}

void StatsFile::sync() {
  // Pipes and devices cannot be synced and say so with EINVAL or EROFS.
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail("cannot sync");
}

void StatsFile::fail(const char* what) const {
  throw FileError(fmt::format("{}: {}: {}", printable(path_), what, std::strerror(errno)));
}

}  // namespace tessera
