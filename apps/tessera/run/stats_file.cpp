#include "apps/tessera/run/stats_file.h"

#include <fmt/format.h>

#include <charconv>
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
    : states_(states), header_(header_for(states)), file_(path, RowFile::Begin::anew) {
  file_.append(header_);
}

StatsFile::StatsFile(const std::string& path, int states, std::int64_t generation,
                     const Schedule& schedule)
    : states_(states), header_(header_for(states)), file_(path, RowFile::Begin::as_it_is) {
  if (file_.has_rows()) {
    keep_rows(generation, schedule);
  } else {
    file_.append(header_);
  }
}

void StatsFile::keep_rows(std::int64_t generation, const Schedule& schedule) {
  std::ifstream in(file_.path(), std::ios::binary);
  std::string row;
  std::getline(in, row);
  if (row + '\n' != header_) {
    throw InputError(fmt::format(
        "{}:1:1: this is not a statistics file, which begins with {}; give --stats another name",
        printable(file_.path()), header_.substr(0, header_.size() - 1)));
  }
  std::int64_t kept = static_cast<std::int64_t>(row.size()) + 1;
  // A last row without its line end was cut short.
  for (std::int64_t line = 2; std::getline(in, row) && !in.eof(); line++) {
    const std::optional<std::int64_t> found = generation_of(row);
    if (!found) {
      throw InputError(
          fmt::format("{}:{}:1: this is not a row of statistics; give --stats another name",
                      printable(file_.path()), line));
    }
    if (*found > generation || (*found == generation && !schedule.has(generation))) break;
    last_ = *found;
    kept += static_cast<std::int64_t>(row.size()) + 1;
  }
  if (in.bad()) file_.fail("cannot read");
  file_.cut(kept);
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
  file_.append(row + "\n");
  last_ = universe.generation();
}

}  // namespace tessera
