#include "tests/support/bgolly.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "core/pattern_io.h"

namespace tessera::test {

Shell run_shell(const std::string& command) {
  Shell result;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"),
                                                             [](std::FILE*) { return 0; });
  if (!pipe) throw std::runtime_error("cannot run " + command);
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe.get()))
    result.output.append(buffer, n);
  result.status = pclose(pipe.get());
  return result;
}

bool bgolly_is_here() {
  namespace fs = std::filesystem;
  if (fs::exists(kGollyPatterns) && run_shell("command -v bgolly").status == 0) return true;
  const char* required = std::getenv("TESSERA_REQUIRE_BGOLLY");
  if (required && std::string(required) == "1") {
    FAIL("TESSERA_REQUIRE_BGOLLY is 1, but bgolly or " << kGollyPatterns.string() << " is absent");
  }
  MESSAGE("skipped: bgolly or " << kGollyPatterns.string()
                                << " is absent; Debian's package 'golly' has them");
  return false;
}

CellRuns at_origin(const CellRuns& cells) {
  CellRuns moved;
  const std::optional<Bounds> box = cells.bounds();
  CellRuns::Reader reader = cells.reader();
  while (const std::optional<CellRun> run = reader.next()) {
    moved.append(run->x - box->xmin, run->y - box->ymin, run->length);
  }
  return moved;
}

std::vector<CellRuns> planes_at_origin(const Pattern& pattern) {
  std::vector<CellRuns> out{at_origin(pattern.cells)};
  const std::optional<Bounds> box = pattern.cells.bounds();
  for (const CellRuns& plane : pattern.planes)
    out.push_back(box ? plane.moved(-box->xmin, -box->ymin) : plane);
  return out;
}

Pattern stepped_by_bgolly(const Pattern& pattern, const std::string& algorithm,
                          std::int64_t generations, const ScratchFolder& folder) {
  const std::string in = folder.file("in.rle"), out = folder.file("out.rle");
  write_pattern(in, pattern);
  const Shell shell = run_shell(fmt::format("bgolly -a {} -m {} -i {} -o '{}' '{}' 2>&1", algorithm,
                                            generations, generations, out, in));
  INFO(shell.output);
  REQUIRE(shell.status == 0);
  return read_pattern(out);
}

}  // namespace tessera::test
