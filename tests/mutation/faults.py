"""The faults that plant.py plants, one at a time. Each must be noticed by one of its test programs.

A fault replaces `old`, which must occur exactly once in `file`, by `new`. A fault in a header names the sources
(`units`) that are compiled with it. A fault that alters no result is no fault: keep such ideas out.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Program:
    """A test program and how it is run as a killer: quickly, and up to the first failure."""

    target: str
    arguments: tuple = ()
    environment: dict = field(default_factory=dict, hash=False)


CORE = Program("core_test")
FORMATS = Program("formats_test")
CHECKPOINT = Program("checkpoint_test")
PNG = Program("png_test")
VIEW = Program("universe_view_test")
CONTRACT = Program("contract_test")
DRIVERS = Program("drivers_test")
LAUNCHES = Program("launches_test")
CASES = Program("differential_test", ("--test-case=random cases*",), {"TESSERA_CASES": "400"})
HASHES = Program("facts_test", ("--test-case=state hashes*",))
PLANE = Program("plane_test", ("--test-case=the plane agrees*",))
THREADS = Program("threads_test", ("--test-case=any number*",))


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    old: str
    new: str
    programs: tuple
    units: tuple = ()


GRID = "core/bit_grid.cpp"
RULE = "core/rule.cpp"
SPEC = "core/rule_spec.cpp"
SOUP = "core/soup.cpp"
UNIVERSE = "core/universe.cpp"
WORD = "backends/cpu/word_backend.cpp"
REFERENCE = "backends/cpu/reference_backend.cpp"
SIMD = "backends/cpu/simd_backend.cpp"
LAYOUT = "backends/cpu/strip_layout.cpp"
STRIPS = "backends/cpu/strip_kernel.cpp"
SUM = "core/bitwise_sum.inl"
CIRCUIT = "core/circuit.inl"
RUNS = "core/cell_runs.cpp"
RLE = "core/formats/rle.cpp"
SAVED = "core/checkpoint.cpp"

FAULTS = [
    # The canonical grid.
    Fault("padding one bit too wide", GRID, "(std::uint64_t{1} << used) - 1", "(std::uint64_t{2} << used) - 1", (CORE,)),
    Fault("dropped carry between words of a window", GRID,
          "return row[i] >> shift | (i + 1 < words ? row[i + 1] << (64 - shift) : 0);", "return row[i] >> shift;",
          (CORE,)),
    Fault("paste keeps what was there", GRID, "to[i + 1] = (to[i + 1] & ~high) | from[i]", "to[i + 1] |= from[i]",
          (CORE,)),
    Fault("a run ends in the wrong word", GRID, "last = (end - 1) / 64;", "last = end / 64;", (CORE,)),
    Fault("bounds one too far right", GRID, "last * 64 + 63 - std::countl_zero", "last * 64 + 64 - std::countl_zero",
          (CORE,)),
    # Rules.
    Fault("rule bit swapped in the dual", RULE, "if (!next(true, 8 - n)) out.birth", "if (!next(false, 8 - n)) out.birth",
          (CORE,)),
    Fault("a digit of 8 is not read", RULE, "text_[at_] <= '8'", "text_[at_] <= '7'", (CORE,)),
    Fault("23/3 read with birth first", RULE,
          "rule.survival = digits();\n      if (at_ == text_.size() || text_[at_] != '/') fail();\n      at_++;\n"
          "      rule.birth = digits();",
          "rule.birth = digits();\n      if (at_ == text_.size() || text_[at_] != '/') fail();\n      at_++;\n"
          "      rule.survival = digits();", (CORE,)),
    Fault("an infinite side is let through", SPEC, "if (side == 0) {", "if (side < 0) {", (CORE,)),
    Fault("B0 on the infinite plane is let through", SPEC, "if (spec.rule.has_b0()) {", "if (false) {", (CORE,)),
    # Soups, hashes, pictures.
    Fault("density cut instead of rounded", SOUP, "std::lround(density * 65536)", "density * 65536", (CORE,)),
    Fault("density from the wrong streams", SOUP, "15 - bit", "16 - bit", (CORE,)),
    Fault("soup words counted from 0", SOUP, "(index + 1) *", "index *", (CORE, HASHES)),
    Fault("soup keeps its padding", SOUP, "  grid.clear_padding();\n", "", (CORE,)),
    Fault("hash column off by one", "core/state_hash.cpp", "column0 + i, row0 + y", "column0 + i + 1, row0 + y", (CORE,)),
    Fault("hash row lost", "core/state_hash.cpp", "column0 + i, row0 + y", "column0 + i, row0", (CORE,)),
    Fault("a cut pixel has the area of a whole one", "core/density_image.cpp",
          "const std::int64_t columns = std::min(scale, rect.width - px * scale);",
          "const std::int64_t columns = scale;", (CORE,)),
    Fault("no generations are passed on", "core/step_backend.cpp", "if (generations > 0) do_step", "do_step", (CORE,)),
    Fault("rectangles may reach over the right edge", "core/step_backend.cpp",
          "rect.x <= spec_.width - rect.width", "rect.x <= spec_.width", (CORE,)),
    Fault("view of the frame in the wrong place", "core/universe_view.cpp", "paste(part, columns.begin, rows.begin, image);",
          "paste(part, columns.begin, x.touched.begin, image);", (VIEW,)),
    # The universe.
    Fault("late growth by one generation", UNIVERSE, "return std::min({live->xmin,", "return 1 + std::min({live->xmin,",
          (CORE, PLANE)),
    Fault("right margin off by one", UNIVERSE, "grid.width - 1 - live->xmax", "grid.width - live->xmax", (CORE, PLANE)),
    Fault("the grid starts anywhere", UNIVERSE, "floor_div(cells.x - margin, 64) * 64", "cells.x - margin", (CORE,)),
    Fault("the hash forgets where the grid lies", UNIVERSE, "backend_->hash(floor_div(origin_.x, 64), origin_.y)",
          "backend_->hash(0, origin_.y)", (CORE,)),
    Fault("more generations than asked for", UNIVERSE, "const std::int64_t now = std::min(generations, free);",
          "const std::int64_t now = free;", (CORE,)),
    Fault("the grid is not restored after a failed growth", UNIVERSE, "  move_to(before);\n  std::string why;",
          "  std::string why;", (CORE,)),
    Fault("placing wipes what was there", UNIVERSE,
          "BitGrid window = backend_->download({inside.x, inside.y, cells.width, cells.height});",
          "BitGrid window(cells.width, cells.height);", (CORE,)),
    Fault("a window is pasted at its top", UNIVERSE, "out.paste(left - rect.x, top - rect.y,", "out.paste(left - rect.x, 0,",
          (CORE,)),
    Fault("a failed change of backend keeps the new factory", UNIVERSE, "    std::swap(factory_, factory);\n    throw;",
          "    throw;", (CORE,)),
    # SINGLE-WORD and DOUBLE-WORD.
    Fault("dropped carry from the word to the west", WORD, "row[i] << 1 | previous >> 63", "row[i] << 1", (LAUNCHES,)),
    Fault("wrong bit from the word to the east", WORD, "following << 63", "following << 62", (LAUNCHES,)),
    Fault("torus wrap off by one column", WORD, "front_.set(0, y, front_.get(w, y));",
          "front_.set(0, y, front_.get(w - 1, y));", (LAUNCHES,)),
    Fault("torus wraps to the wrong row", WORD,
          "std::copy_n(front_.row(1), front_.words_per_row(), front_.row(h + 1));",
          "std::copy_n(front_.row(h), front_.words_per_row(), front_.row(h + 1));", (LAUNCHES,)),
    Fault("plane border not masked each generation", WORD, "    clear_ring();\n    return;", "    return;", (LAUNCHES,)),
    Fault("an odd last row is lost", WORD, "for (; y <= h; y++) {", "for (; y < h; y++) {", (LAUNCHES,)),
    Fault("wrong neighbour in a double word", WORD, "quad(d.west, d.centre, d.east, b.centre)",
          "quad(d.west, d.centre, d.east, c.centre)", (LAUNCHES,)),
    Fault("the ring is counted", WORD, "  clear_ring();\n}\n\nBitGrid WordBackend::do_download",
          "}\n\nBitGrid WordBackend::do_download", (CONTRACT, CASES)),
    Fault("a sum of pairs without carry", SUM, "s1 = a1 ^ b1 ^ (a0 & b0);", "s1 = a1 ^ b1;", (LAUNCHES,), (WORD,)),
    # The carry x & y alone is no fault: it belongs to a sum of exactly four, which then looks like none.
    Fault("a sum of quads without carry", SUM, "s23 = a2 | b2 | (a1 & b1) | (x & y);", "s23 = a2 | b2 | (x & y);",
          (LAUNCHES,), (WORD,)),
    Fault("dropped carry in the count of eight", SUM, "carry = (a1 & b1) | (x & y);", "carry = a1 & b1;", (LAUNCHES,),
          (WORD,)),
    Fault("eight neighbours are none", SUM, "s3 = a2 & b2;", "s3 = a2 ^ a2;", (CASES,), (WORD,)),
    # The judge.
    Fault("the reference forgets neighbours in the same row", REFERENCE, "if (dx == 0 && dy == 0) continue;",
          "if (dy == 0) continue;", (LAUNCHES,)),
    Fault("the reference does not wrap upwards", REFERENCE, "ny = ny < 0 ? ny + height", "ny = ny < 0 ? 0", (LAUNCHES,)),
    # The vector kernel.
    Fault("seam bit lost at the left edge of a torus", LAYOUT, "outer_left[lane] = s == 0 && torus ? 1 : 0;",
          "outer_left[lane] = 0;", (LAUNCHES,)),
    Fault("padding column of a torus stays dead", LAYOUT, "wrapped[lane] = torus ? padding[lane] : 0;",
          "wrapped[lane] = 0;", (LAUNCHES,)),
    Fault("segments do not meet around the torus", LAYOUT, "s + 1 < segments || (torus && !has_padding);",
          "s + 1 < segments;", (LAUNCHES, CASES)),
    Fault("unmasked padding strips", LAYOUT, "ceil_div(layout.width - j, layout.words) : 0;", "64 * layout.lanes : 0;",
          (CONTRACT, CASES)),
    Fault("dropped carry when rows are read", LAYOUT, "if (high != 0) row[column / 64 + 1] |= high;",
          "if (high == 1) row[column / 64 + 1] |= high;", (CONTRACT,)),
    Fault("dropped carry when rows are written", LAYOUT, "if (shift != 0 && i + 1 < canonical) block[b] |=",
          "if (shift != 0 && i + 2 < canonical) block[b] |=", (CONTRACT,)),
    Fault("wrong band halo", SIMD, "for (std::int64_t y = -generations; y < 0; y++) copy_row(y, band);",
          "for (std::int64_t y = 1 - generations; y < 0; y++) copy_row(y, band);", (LAUNCHES,)),
    Fault("generation remainder lost", SIMD, "if (generations > 0) run_pass(static_cast<int>(generations));", "",
          (LAUNCHES,)),
    Fault("margin taken from a row off by one", SIMD, "floor_mod(row, layout_.height)", "floor_mod(row + 1, layout_.height)",
          (LAUNCHES,)),
    Fault("ghosts not closed after an upload", SIMD, "rows_.write(front_.get(), y, grid.row(y));\n  closed_ = false;",
          "rows_.write(front_.get(), y, grid.row(y));", (LAUNCHES,)),
    Fault("a row between two threads' bands is lost", SIMD, "layout_.band_rows * (task + 1) / tasks;",
          "layout_.band_rows * (task + 1) / tasks - (task + 1 < tasks ? 1 : 0);", (THREADS,)),
    Fault("the margin is counted", SIMD, "if (partly && band * layout_.band_rows + y >= layout_.height) continue;", "",
          (CASES,)),
    Fault("plane rows outside not masked each generation", STRIPS, "if (plane && layout.partly_outside(",
          "if (false && layout.partly_outside(", (LAUNCHES,)),
    Fault("wrong row code reused", STRIPS, "xa = xb, ma = mb, xb = xc, mb = mc, x = centre;",
          "xa = xb, ma = mc, xb = xc, mb = mc, x = centre;", (LAUNCHES,)),
    Fault("a live cell counts itself", STRIPS, "const int neighbours = t0 + 2 * p - x;", "const int neighbours = t0 + 2 * p;",
          (LAUNCHES,)),
    Fault("wrong gate in Life's circuit", CIRCUIT, "TESSERA_GATE(0xC8, g1, mb, xb, mb & (g1 | xb))",
          "TESSERA_GATE(0xC0, g1, mb, xb, mb & g1)", (LAUNCHES,), (STRIPS,)),
    # Drivers.
    Fault("any device number will do", "backends/drivers.cpp", "if (any || device.index == index)",
          "if (any || device.index >= 0)", (DRIVERS,)),
    Fault("the memory limit is ignored", "backends/cpu/cpu_driver.cpp", "if (needed > limit) {", "if (needed < 0) {",
          (DRIVERS,)),
    # Runs of cells, formats, checkpoints, pictures.
    Fault("touching runs are not merged", RUNS, "if (y == last_.y && x == last_end) {", "if (false) {", (FORMATS,)),
    Fault("long numbers in packed runs lose bits", RUNS, "for (int shift = 0;; shift += 7) {",
          "for (int shift = 0;; shift += 6) {", (FORMATS,)),
    Fault("runs of a grid start at their word", "core/rasterize.cpp", "word * 64 + at + gap", "word * 64 + gap", (CORE, FORMATS)),
    Fault("RLE writes a count of two as one", RLE, "if (count > 1) end = std::to_chars", "if (count > 2) end = std::to_chars",
          (FORMATS,)),
    Fault("RLE reads only the last digit of a count", RLE, "count_ = count_ * 10 + digit;", "count_ = digit;", (FORMATS,)),
    Fault("RLE keeps the column on a new row", RLE, "      y = run->y;\n      x = 0;", "      y = run->y;", (FORMATS,)),
    Fault("Gen= is not written", RLE, "if (pattern.generation != 0) line +=", "if (pattern.generation < 0) line +=", (FORMATS,)),
    Fault("Life 1.05 blocks lie where the last one did", "core/formats/life105.cpp",
          'next_.y = line.integer(coordinate_range("y of the block"));', 'line.integer(coordinate_range("y of the block"));',
          (FORMATS,)),
    Fault("checkpoint checksum skipped", SAVED, "if (found != expected)", "if (false)", (CHECKPOINT,)),
    Fault("checkpoint forgets its generation", SAVED, 'header["generation"] = info.generation;',
          'header["generation"] = info.start_generation;', (CHECKPOINT,)),
    Fault("checkpoint takes cells beyond the width", SAVED,
          "if (piece.cells.row(y)[piece.cells.words_per_row() - 1] & ~mask) {", "if (false && mask) {", (CHECKPOINT,)),
    Fault("black and white swapped", "core/png.cpp", "  png_set_invert_mono(png);\n", "", (PNG,)),
    Fault("cells of a picture mirrored in each byte", "core/png.cpp", "if (depth == 1) png_set_packswap(png);", "",
          (PNG,)),
]
