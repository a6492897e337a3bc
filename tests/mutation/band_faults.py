"""Faults in one grid over several parts: halos, the parts' own rows, what is added up."""

from fault import BANDS, Fault

BACKEND = "backends/distributed/distributed_backend.cpp"
PLAN = "backends/distributed/band_plan.cpp"
DRIVER = "backends/distributed/distributed_driver.cpp"

BAND_FAULTS = [
    Fault(
        "a halo is a row off, downwards",
        BACKEND,
        "upper.row(upper.own.end()) - rows, lower.above - rows)",
        "upper.row(upper.own.end()) - rows - (rows > 1), lower.above - rows)",
        (BANDS,),
    ),
    Fault(
        "a halo is a row off, upwards",
        BACKEND,
        "RowSide::above, lower.above, upper.row(upper.own.end()))",
        "RowSide::above, lower.above + 1, upper.row(upper.own.end()))",
        (BANDS,),
    ),
    Fault(
        "halos are exchanged a generation late",
        BACKEND,
        "        fresh = parts.halo;\n",
        "        fresh = parts.halo + 1;\n",
        (BANDS,),
    ),
    Fault(
        "halos are exchanged a generation early",
        BACKEND,
        "        fresh = parts.halo;\n",
        "        fresh = std::max<std::int64_t>(1, parts.halo - 1);\n",
        (BANDS,),
    ),
    Fault(
        "the age of halos is forgotten between calls",
        BACKEND,
        "parts.fresh = kept;",
        "parts.fresh = parts.halo;",
        (BANDS,),
    ),
    Fault(
        "an edit leaves old halos",
        BACKEND,
        "const Rect rect{at.x, at.y, cells.width(), cells.height()};\n  parts_->fresh = 0;",
        "const Rect rect{at.x, at.y, cells.width(), cells.height()};",
        (BANDS,),
    ),
    Fault(
        "a soup leaves old halos",
        BACKEND,
        "ceil_div(spec().width, 64));\n  parts_->fresh = 0;",
        "ceil_div(spec().width, 64));",
        (BANDS,),
    ),
    Fault(
        "a band's soup begins at its own first row",
        BACKEND,
        "index + static_cast<std::uint64_t>(part.y - y) * words);",
        "index);",
        (BANDS,),
    ),
    Fault(
        "a band is hashed by its own rows",
        BACKEND,
        "column0, row0 + shift)",
        "column0, row0)",
        (BANDS,),
    ),
    Fault(
        "bounds of a band are its own",
        BACKEND,
        "mine.bounds->shifted(0, shift)",
        "mine.bounds->shifted(0, 0)",
        (BANDS,),
    ),
    Fault(
        "a pixel that two bands share is counted by one",
        BACKEND,
        "    add(part.y, middle);\n",
        "    if (first % scale == 0) add(part.y, middle);\n",
        (BANDS,),
    ),
    Fault(
        "a torus of bands is open",
        BACKEND,
        "if (i + 1 == count && !torus) continue;",
        "if (i + 1 == count) continue;",
        (BANDS,),
    ),
    Fault(
        "a plane has a halo outside",
        BACKEND,
        "return i == 0 && spec.boundary == Boundary::plane ? 0 :",
        "return i == 0 && spec.boundary == Boundary::plane ? 1 :",
        (BANDS,),
    ),
    Fault(
        "a low band gets fewer rows than it needs",
        PLAN,
        "std::clamp(wanted, first + base, most)",
        "std::clamp(wanted, first + 1, most)",
        (BANDS,),
    ),
    Fault(
        "a halo deeper than a band is high is taken",
        DRIVER,
        "if (options_.halo * reach > rows || rows < reach) {",
        "if (rows < reach) {",
        (BANDS,),
    ),
]
