// One grid that several step together in memory which all see: threads that stand for processes.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "apps/measure/draw.h"
#include "backends/distributed/local_team.h"
#include "core/cells/soup.h"
#include "core/stepping/host_crew.h"
#include "tests/support/kernels.h"
#include "tests/support/make_spec.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Threads of a LocalTeam: the first one makes what all see.
class ThreadCrew final : public HostCrew {
 public:
  explicit ThreadCrew(Communicator& us) : us_(us) {}
  int rank() const override { return us_.rank(); }
  int size() const override { return us_.size(); }
  std::byte* allocate(std::int64_t bytes) override {
    const auto count = static_cast<std::size_t>(bytes);
    std::uint64_t at = 0;
    if (rank() == 0) {
      made_.push_back(hwy::AllocateAligned<std::byte>(count));
      std::memset(made_.back().get(), 0, count);
      at = reinterpret_cast<std::uintptr_t>(made_.back().get());
    }
    us_.reduce(Reduction::sum, {&at, 1});
    return reinterpret_cast<std::byte*>(at);
  }
  void meet() override { us_.barrier(); }
  void give_up() override {}

 private:
  Communicator& us_;
  std::vector<hwy::AlignedFreeUniquePtr<std::byte[]>> made_;
};

}  // namespace

TEST_CASE("what steps a grid together gives the bits of one that steps alone") {
  int together = 0;
  for (std::int64_t seed = 0; seed < case_count(40); seed++) {
    Draw draw(static_cast<std::uint64_t>(seed) + 11);
    const std::string name = draw.between(0, 1) == 0 ? "simd" : "compiled";
    const std::vector<Kernel> found = find_kernels({"cpu"}, {name});
    if (found.empty()) continue;  // there is no machine code of rules here
    const Kernel& kernel = found.front();
    REQUIRE(kernel.info.crews);
    BackendSpec spec;
    spec.width = draw.between(1, draw.between(0, 1) == 0 ? 9000 : 700);
    spec.height = draw.between(1, 400);
    spec.boundary = draw.between(0, 2) == 0 ? Boundary::plane : Boundary::torus;
    if (draw.between(0, 1) == 0) spec.rule = parse_rule("B36/S23");
    Tuning tuning;
    const std::vector<int>& depths = kernel.info.parameter(&Tuning::generations)->candidates;
    tuning.generations = depths.at(static_cast<std::size_t>(draw.between(0, 4)));
    const int size = static_cast<int>(draw.between(1, 4));
    std::vector<int> threads;
    for (int i = 0; i < size; i++) threads.push_back(static_cast<int>(draw.between(1, 2)));
    INFO("seed ", seed, ": ", name, ", ", spec.width, "x", spec.height, ", ", size, " members, ",
         tuning.generations, " generations a pass");
    Soup soup;
    soup.seed = static_cast<std::uint64_t>(seed);
    const std::int64_t first = draw.between(1, 90), second = draw.between(1, 30);
    const Cell at{draw.between(0, spec.width - 1), draw.between(0, spec.height - 1)};
    CellGrid dot(1, 1);
    dot.plane(0).set(0, 0, true);

    const auto judge = find_kernels({"cpu"}, {"word"}).at(0).create(spec);
    judge->fill(soup);
    judge->step(first);
    judge->edit(at, dot);
    judge->step(second);
    const CellGrid expected = judge->download();

    // Of one shape, whatever the threads.
    const Tuning shape = kernel.create(spec, tuning)->info().tuning;
    LocalTeam team(size);
    std::vector<CellGrid> got(static_cast<std::size_t>(size), CellGrid(1, 1));
    team.run([&](Communicator& us) {
      ThreadCrew crew(us);
      const auto me = static_cast<std::size_t>(us.rank());
      BackendSpec own = spec;
      own.crew = &crew;
      Tuning mine = shape;
      mine.threads = threads[me];
      const auto backend = kernel.create(own, mine);
      // Each makes its rows of the soup; the last one edits.
      const std::int64_t top = spec.height * us.rank() / size,
                         end = spec.height * (us.rank() + 1) / size;
      const auto words = static_cast<std::uint64_t>(ceil_div(spec.width, std::int64_t{64}));
      if (end > top) backend->fill(soup, top, end - top, static_cast<std::uint64_t>(top) * words);
      us.barrier();
      backend->step(first);
      us.barrier();
      if (us.rank() == size - 1) backend->edit(at, dot);
      us.barrier();
      backend->step(second);
      us.barrier();
      got[me] = backend->download();
      us.barrier();
    });
    for (const CellGrid& cells : got) CHECK(cells == expected);
    together += size > 1;
  }
  CHECK(together > 0);
}
