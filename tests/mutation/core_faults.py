"""Faults in core/: grids, rules, soups, hashes, universes, formats, checkpoints and pictures."""

from fault import CHECKPOINT, CORE, Fault, FORMATS, HASHES, PLANE, PNG

GRID = "core/cells/bit_grid.cpp"
RULE = "core/rules/rule.cpp"
SPEC = "core/rules/rule_spec.cpp"
SOUP = "core/cells/soup.cpp"
DENSE = "core/spaces/dense_space.cpp"
GROWING = "core/spaces/growing_space.cpp"
RUNS = "core/cells/cell_runs.cpp"
RLE = "core/patterns/rle.cpp"
SECTIONS = "core/files/checkpoint_sections.cpp"

CORE_FAULTS = [
    # The canonical grid.
    Fault(
        "padding one bit too wide",
        GRID,
        "(std::uint64_t{1} << used) - 1",
        "(std::uint64_t{2} << used) - 1",
        (CORE,),
    ),
    Fault(
        "dropped carry between words of a window",
        "core/cells/bit_grid.h",
        "return *words >> shift | (x / 64 + 1 < words_per_row_ ? words[1] << (64 - shift) : 0);",
        "return *words >> shift;",
        (CORE,),
        ("core/cells/bit_grid.cpp", "core/pictures/cell_counts.cpp"),
    ),
    Fault(
        "paste keeps what was there",
        GRID,
        "to[i + 1] = (to[i + 1] & ~high) | from[i]",
        "to[i + 1] |= from[i]",
        (CORE,),
    ),
    Fault(
        "a run ends in the wrong word", GRID, "last = (end - 1) / 64;", "last = end / 64;", (CORE,)
    ),
    Fault(
        "bounds one too far right",
        GRID,
        "last * 64 + 63 - std::countl_zero",
        "last * 64 + 64 - std::countl_zero",
        (CORE,),
    ),
    # Rules.
    Fault("a digit of 8 is not read", RULE, "text_[at_] <= '8'", "text_[at_] <= '7'", (CORE,)),
    Fault(
        "23/3 read with birth first",
        RULE,
        "rule.survival = digits();\n      if (at_ == text_.size() || text_[at_] != '/') fail();\n      at_++;\n"
        "      rule.birth = digits();",
        "rule.birth = digits();\n      if (at_ == text_.size() || text_[at_] != '/') fail();\n      at_++;\n"
        "      rule.survival = digits();",
        (CORE,),
    ),
    Fault("an infinite side is let through", SPEC, "if (side == 0) {", "if (side < 0) {", (CORE,)),
    Fault(
        "B0 on the infinite plane is let through",
        SPEC,
        "if (spec.rule.has_b0()) {",
        "if (false) {",
        (CORE,),
    ),
    # Soups, hashes, pictures.
    Fault(
        "density cut instead of rounded",
        SOUP,
        "std::lround(density * 65536)",
        "density * 65536",
        (CORE,),
    ),
    Fault("density from the wrong streams", SOUP, "15 - bit", "16 - bit", (CORE,)),
    Fault("soup words counted from 0", SOUP, "(index + 1) *", "index *", (CORE, HASHES)),
    Fault("soup keeps its padding", SOUP, "  grid.clear_padding();\n", "", (CORE,)),
    Fault(
        "hash column off by one",
        "core/cells/state_hash.cpp",
        "column0 + i, row0 + y",
        "column0 + i + 1, row0 + y",
        (CORE,),
    ),
    Fault(
        "hash row lost",
        "core/cells/state_hash.cpp",
        "column0 + i, row0 + y",
        "column0 + i, row0",
        (CORE,),
    ),
    Fault(
        "a cut pixel has the area of a whole one",
        "core/pictures/cell_counts.cpp",
        "{ return std::min(scale, width - px * scale); }",
        "{ return px < 0 ? 0 : scale; }",
        (CORE,),
    ),
    Fault(
        "no generations are passed on",
        "core/stepping/step_backend.cpp",
        "if (generations > 0) do_step",
        "do_step",
        (CORE,),
    ),
    Fault(
        "rectangles may reach over the right edge",
        "core/stepping/step_backend.cpp",
        "rect.x <= spec_.width - rect.width",
        "rect.x <= spec_.width",
        (CORE,),
    ),
    Fault(
        "view of the frame in the wrong place",
        "core/spaces/grid_view.cpp",
        "paste(part, x.whole.begin, y.whole.begin, image);",
        "paste(part, x.touched.begin, y.whole.begin, image);",
        (CORE,),
    ),
    # The universe.
    Fault(
        "late growth by one generation",
        GROWING,
        "return margin / spec().rule.reach();",
        "return 1 + margin / spec().rule.reach();",
        (CORE, PLANE),
    ),
    Fault(
        "right margin off by one",
        GROWING,
        "held.x + held.width - 1 - live.xmax",
        "held.x + held.width - live.xmax",
        (CORE, PLANE),
    ),
    Fault(
        "the grid starts anywhere",
        GROWING,
        "floor_div(cells.x - margin, 64) * 64",
        "cells.x - margin",
        (CORE,),
    ),
    Fault(
        "the hash forgets where the grid lies",
        DENSE,
        "floor_div(grid().x, 64), grid().y);",
        "0, grid().y);",
        (CORE,),
    ),
    Fault(
        "more generations than asked for",
        GROWING,
        "const std::int64_t now = std::min(generations, free);",
        "const std::int64_t now = free;",
        (CORE,),
    ),
    Fault(
        "the grid is not restored after a failed growth",
        GROWING,
        "  move_to(before, live, kept);\n  try {",
        "  try {",
        (CORE,),
    ),
    Fault(
        "placing wipes what was there",
        "core/spaces/space.cpp",
        "CellGrid window = do_read(box);",
        "CellGrid window(box.width, box.height);",
        (CORE,),
    ),
    Fault(
        "a window is pasted at its top",
        DENSE,
        "out.paste(part.x - rect.x, part.y - rect.y,",
        "out.paste(part.x - rect.x, 0,",
        (CORE,),
    ),
    Fault(
        "a failed change of backend keeps the new factory",
        DENSE,
        "    std::swap(factory_, factory);\n    throw;",
        "    throw;",
        (CORE,),
    ),
    Fault(
        "device memory that runs out gets no second try",
        GROWING,
        "    } catch (const DeviceMemoryError&) {\n      refusal = std::current_exception();\n",
        "",
        (CORE,),
    ),
    Fault(
        "loading keeps what was there",
        "core/spaces/space.cpp",
        "  do_clear();\n  while (const",
        "  while (const",
        (CORE,),
    ),
    Fault(
        "bands of a long row repeat its begin",
        "core/files/piece_source.cpp",
        "const std::int64_t x = i % across_ * columns_,",
        "const std::int64_t x = 0,",
        (CHECKPOINT,),
    ),
    # Runs of cells, formats, checkpoints, pictures.
    Fault(
        "touching runs are not merged",
        RUNS,
        "if (y == last_.y && x == last_end) {",
        "if (false) {",
        (FORMATS,),
    ),
    Fault(
        "a digit is left out when many runs are sorted",
        RUNS,
        "shift < bits; shift += kDigit",
        "shift < bits; shift += 2 * kDigit",
        (FORMATS,),
    ),
    Fault(
        "long numbers in packed runs lose bits",
        RUNS,
        "for (int shift = 0;; shift += 7) {",
        "for (int shift = 0;; shift += 6) {",
        (FORMATS,),
    ),
    Fault(
        "runs of a grid start at their word",
        "core/cells/rasterize.h",
        "word * 64 + at + gap",
        "word * 64 + gap",
        (CORE, FORMATS),
        ("core/cells/rasterize.cpp", "core/files/piece_source.cpp"),
    ),
    Fault(
        "RLE writes a count of two as one",
        RLE,
        "if (count > 1) end = std::to_chars",
        "if (count > 2) end = std::to_chars",
        (FORMATS,),
    ),
    Fault(
        "RLE reads only the last digit of a count",
        RLE,
        "count_ = count_ * 10 + digit;",
        "count_ = digit;",
        (FORMATS,),
    ),
    Fault(
        "RLE keeps the column on a new row",
        RLE,
        "      y = run->y;\n      x = 0;",
        "      y = run->y;",
        (FORMATS,),
    ),
    Fault(
        "Gen= is not written",
        RLE,
        "if (pattern.generation != 0) line +=",
        "if (pattern.generation < 0) line +=",
        (FORMATS,),
    ),
    Fault(
        "Life 1.05 blocks lie where the last one did",
        "core/patterns/life105.cpp",
        'next_.y = line.integer(coordinate_range("y of the block"));',
        'line.integer(coordinate_range("y of the block"));',
        (FORMATS,),
    ),
    Fault(
        "RLE on a bounded universe centred a cell off",
        RLE,
        "-(pattern_.width / 2)",
        "-((pattern_.width - 1) / 2)",
        (FORMATS,),
    ),
    Fault(
        "macrocells lie a row too high",
        "core/patterns/macrocell.cpp",
        "pattern.position = Cell{box.xmin, box.ymin + 1};",
        "pattern.position = Cell{box.xmin, box.ymin};",
        (FORMATS,),
    ),
    Fault(
        "a square is striped when its upper half is",
        "core/patterns/quadtree.cpp",
        "parts[0] == parts[1] && parts[2] == parts[3] &&",
        "parts[0] == parts[1] &&",
        (FORMATS,),
    ),
    Fault(
        "an odd number of equal squares is joined to one too many",
        "core/patterns/quadtree_rows.cpp",
        "west.count / 2)",
        "(west.count + 1) / 2)",
        (FORMATS,),
    ),
    Fault(
        "checkpoint checksum skipped",
        "core/files/checkpoint_input.cpp",
        "if (found != expected)",
        "if (false)",
        (CHECKPOINT,),
    ),
    Fault(
        "checkpoint forgets its generation",
        "core/files/checkpoint_header.cpp",
        'out["generation"] = info.generation;',
        'out["generation"] = info.start_generation;',
        (CHECKPOINT,),
    ),
    Fault(
        "checkpoint takes cells beyond a piece's width",
        SECTIONS,
        "if (!plane.padding_is_clear())",
        "if (false)",
        (CHECKPOINT,),
    ),
    Fault(
        "checkpoint takes cells beyond the grid's width",
        "core/files/checkpoint_bands.cpp",
        "if (!cells.padding_is_clear())",
        "if (false)",
        (CHECKPOINT,),
    ),
    Fault(
        "checkpoint does not count its pieces",
        SECTIONS,
        "if (pieces != pieces_)",
        "if (false)",
        (CHECKPOINT,),
    ),
    Fault(
        "checkpoint takes planes of different pieces",
        SECTIONS,
        "if (words.size() != batch_.front().size())",
        "if (false)",
        (CHECKPOINT,),
    ),
    Fault(
        "checkpoint takes pieces anywhere",
        SECTIONS,
        "if (!lies_within(place, extent_)) {",
        "if (place.empty()) {",
        (CHECKPOINT,),
    ),
    Fault(
        "pieces out of order are lost from a pattern",
        "core/files/piece_source.cpp",
        "others.empty() ? std::move(sorted_) : unite(sorted_, others)",
        "std::move(sorted_)",
        (CORE,),
    ),
    Fault(
        "black and white swapped",
        "core/png.cpp",
        "if (kind.colour_type == PNG_COLOR_TYPE_GRAY) png_set_invert_mono(png);",
        "",
        (PNG,),
    ),
    Fault(
        "cells of a picture mirrored in each byte",
        "core/png.cpp",
        "if (kind.depth == 1) png_set_packswap(png);",
        "",
        (PNG,),
    ),
]
