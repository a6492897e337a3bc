"""Faults in one grid over several parts: halos, the parts' own rows, what is added up."""

from fault import BAND_KERNEL, BANDS, DEVICE_BANDS, RANKS, Fault

BACKEND = "backends/distributed/distributed_backend.cpp"
BAND = "backends/distributed/band_grid.cpp"
SCHEDULE = "backends/distributed/band_grid.h"
CUT = "backends/distributed/distributed_plan.cpp"
PLAN = "backends/distributed/band_plan.cpp"
RANK = "backends/distributed/rank_band.cpp"
WORKER = "backends/distributed/rank_worker.cpp"

MAIL = "backends/cuda/row_mail.cpp"
STRIPS = "backends/cuda/strips_stepper.cpp"

BAND_FAULTS = [
    Fault(
        "bands forget whose turn it is of two rules",
        BACKEND,
        "odd ^= now % 2 != 0;",
        "",
        (BANDS,),
    ),
    Fault(
        "a device sends rows that are a row off",
        MAIL,
        "way.out_row = side == 0 ? trades.rows : height - 2 * trades.rows;",
        "way.out_row = side == 0 ? trades.rows : height - 2 * trades.rows + 1;",
        (DEVICE_BANDS,),
    ),
    Fault(
        "a device puts rows into the mailbox of the wrong side",
        MAIL,
        "other->trades_->box(1 - side, trades.epoch)",
        "other->trades_->box(side, trades.epoch)",
        (DEVICE_BANDS,),
    ),
    Fault(
        "a band on a device forgets rows that are still right",
        STRIPS,
        "std::min(wrong_ + generations, copies)",
        "std::min(wrong_ + generations + 4, copies)",
        (BAND_KERNEL,),
    ),
    Fault(
        "too few tiles of a band wait for rows that arrive",
        STRIPS,
        "band_->above > 0 ? band_->above + reach : 0;",
        "band_->above > 0 ? reach : 0;",
        (BAND_KERNEL,),
    ),
    Fault(
        "too few tiles of a band tell that they stored what leaves",
        STRIPS,
        "(band_->below > 0 ? band_->below + reach : 0);",
        "(band_->below > 0 ? reach : 0);",
        (BAND_KERNEL,),
    ),
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
        SCHEDULE,
        "        fresh = halo;\n",
        "        fresh = halo + 1;\n",
        (BANDS,),
        units=("backends/distributed/distributed_backend.cpp",),
    ),
    Fault(
        "halos are exchanged a generation early",
        SCHEDULE,
        "        fresh = halo;\n",
        "        fresh = std::max<std::int64_t>(1, halo - 1);\n",
        (BANDS,),
        units=("backends/distributed/distributed_backend.cpp",),
    ),
    Fault(
        "the age of halos is forgotten between calls",
        BACKEND,
        "parts.halos = halos;",
        "parts.halos.fresh = parts.halos.halo;",
        (BANDS,),
    ),
    Fault(
        "an edit leaves old halos",
        BACKEND,
        "parts_->halos.fresh = 0;\n  parts_->each([&](Band& band) { band.edit(at, cells); });",
        "parts_->each([&](Band& band) { band.edit(at, cells); });",
        (BANDS,),
    ),
    Fault(
        "a soup leaves old halos",
        BACKEND,
        "parts_->halos.fresh = 0;\n  parts_->each([&](Band& band) { band.fill(soup, y, rows, index); });",
        "parts_->each([&](Band& band) { band.fill(soup, y, rows, index); });",
        (BANDS,),
    ),
    Fault(
        "a band's soup begins at its own first row",
        BAND,
        "index + static_cast<std::uint64_t>(part.y - y) * words);",
        "index);",
        (BANDS,),
    ),
    Fault(
        "a band is hashed by its own rows",
        BAND,
        "column0, row0 + shift)",
        "column0, row0)",
        (BANDS,),
    ),
    Fault(
        "bounds of a band are its own",
        BAND,
        "found.bounds->shifted(0, shift)",
        "found.bounds->shifted(0, 0)",
        (BANDS,),
    ),
    Fault(
        "a pixel that two bands share is counted by one",
        BAND,
        "  add(part.y, middle);\n",
        "  if (first % scale == 0) add(part.y, middle);\n",
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
        CUT,
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
        CUT,
        "if (options.halo * reach > rows || rows < reach) {",
        "if (rows < reach) {",
        (BANDS,),
    ),
    Fault(
        "a rank's rows go to the wrong neighbour",
        RANK,
        "add(up_, kUpwards, to_up, kDownwards, from_up);",
        "add(up_, kUpwards, to_down, kDownwards, from_up);",
        (RANKS,),
    ),
    Fault(
        "a rank takes halos a row too high",
        RANK,
        "edit({0, first - rows_}, from_up);",
        "edit({0, first - rows_ + (rows_ > 1)}, from_up);",
        (RANKS,),
    ),
    Fault(
        "the failure of another rank is told as rank 0's",
        "backends/distributed/rank_error.cpp",
        'fmt::format("rank {}: {}", rank, letter.take_text())',
        'fmt::format("rank {}: {}", 0, letter.take_text())',
        (RANKS,),
    ),
    Fault(
        "an edit over ranks leaves old halos",
        WORKER,
        "  grid.band->changed();\n  std::exception_ptr error;",
        "  std::exception_ptr error;",
        (RANKS,),
    ),
    Fault(
        "the least row of all ranks is the most",
        WORKER,
        "us_.reduce(Reduction::least, box);",
        "us_.reduce(Reduction::most, box);",
        (RANKS,),
    ),
    Fault(
        "a view shows rank 0 alone",
        WORKER,
        "if (mine.any()) found = mine.grid().view(rect, scale);",
        "if (mine.any() && us_.rank() == 0) found = mine.grid().view(rect, scale);",
        (RANKS,),
    ),
]
