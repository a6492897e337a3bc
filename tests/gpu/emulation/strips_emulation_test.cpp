// The text of the kernel strips, compiled for the CPU in one shape (TESSERA_W, _R, _T, _WARPS,
// _TORUS) and run tile by tile: every way in which halos are cut at the edges, without a GPU.
// Buffers end at inaccessible pages.
#include "warp.cuh"
// After it, so that the kernel's own is not taken.
#include "strips.cu"
// Needs the kernel's macros.
#include "layout_strips.cuh"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <utility>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/strips_stepper.h"
#include "core/stepping/step_backend.h"

namespace {

// Zeroed memory between two inaccessible pages, directly before the second.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : pages_((bytes + kPage - 1) / kPage) {
    void* map = mmap(nullptr, (pages_ + 2) * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(map != MAP_FAILED);
    map_ = static_cast<char*>(map);
    REQUIRE(mprotect(map_ + kPage, pages_ * kPage, PROT_READ | PROT_WRITE) == 0);
    words_ = reinterpret_cast<u32*>(map_ + kPage + pages_ * kPage - bytes);
  }
  ~Buffer() { munmap(map_, (pages_ + 2) * kPage); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  u32* words() { return words_; }

 private:
  static constexpr std::size_t kPage = 4096;
  std::size_t pages_;
  char* map_ = nullptr;
  u32* words_ = nullptr;
};

}  // namespace

TEST_CASE("the kernel strips, run on the CPU, steps as the CPU's own kernel does") {
  using namespace tessera;
  const Boundary boundary = TESSERA_TORUS ? Boundary::torus : Boundary::plane;
  constexpr std::int64_t macro = kStripMacro, owned = 32 * R - 2 * T;
  std::uint64_t seed = 5;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(seed++) % static_cast<std::uint64_t>(most + 1));
  };
  DeviceFacts facts;
  facts.multiprocessors = 1;  // so that some of these grids have more tiles than it has schedulers
  int shared = 0;
  const Tuning shape{T, R, W, kWarps, 0};
  for (int i = 0; i < 60; i++) {
    // From a column into the last macro-column to one short of its end.
    const std::int64_t widths[] = {
        1, W - 1, W, W + 1, M * W, M * W + 1, macro - 1, macro, 1 + upto(macro - 1)};
    const std::int64_t heights[] = {1,         1 + upto(2 * T), owned,
                                    owned + 1, 2 * owned - 1,   1 + upto(3 * owned)};
    const BackendSpec spec{(M > 1 ? 2 + upto(3) : upto(5)) * macro + widths[upto(8)],
                           heights[i % 6], boundary, kLife, 0};
    if (spec.width < W) continue;  // those are compiled differently
    INFO(spec.width, "x", spec.height);
    const StripsStepper stepper(spec, shape, facts);
    REQUIRE(stepper.tuning() == shape);
    const Grid& grid = stepper.grid();
    shared += stepper.pass(1).shared_tiles > 0;
    last_word = static_cast<int>(spec.width % W);
    const auto cpu = cpu_driver().create(0, spec, "word", {});
    cpu->fill({seed, 30000});

    Buffer one(static_cast<std::size_t>(grid.storage)),
        other(static_cast<std::size_t>(grid.storage));
    u32 *from = one.words(), *to = other.words();
    const BitGrid start = cpu->download().plane(0);
    const Box all{0, 0, spec.width, spec.height};
    for (i64 n = 0; n < layout_pieces(grid, all); n++)
      layout_paste(grid, from, all, n, start.words().data(), grid.words);
    threadIdx.x = blockIdx.x = 0;  // the only thread of a grid-stride kernel
    if (TESSERA_TORUS) fill_margins(grid, from);
    for (const std::int64_t generations : {std::int64_t{T}, std::int64_t{T}, 1 + upto(T - 1)}) {
      StripRun run = stepper.pass(generations);
      run.from = from;
      run.to = to;
      emulated::warp.kernel = [&] { step(grid, run); };
      for (std::int64_t block = 0; block < stepper.shape().blocks; block++) {
        blockIdx.x = static_cast<unsigned int>(block);
        for (unsigned int n = 0; n < kWarps; n++) emulated::run_warp(n);
      }
      std::swap(from, to);
      cpu->step(generations);
      const BitGrid want = cpu->download().plane(0);
      std::int64_t wrong = 0, halos = 0;
      for (i64 y = 0; y < grid.height; y++) {
        for (i64 n = 0; n < grid.words; n++) {
          wrong += layout_word(grid, from, n, y) !=
                   want.words()[static_cast<std::size_t>(y * grid.words + n)];
        }
        for (i64 n = 0; n < grid.units * W; n++)
          halos += (from[n * grid.stride + grid.above + y] & ~kInner) != 0;
      }
      REQUIRE(wrong == 0);
      REQUIRE(halos == 0);
    }
  }
  CHECK(shared > 2);
}
