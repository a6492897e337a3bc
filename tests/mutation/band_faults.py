"""Faults in one grid over several parts: halos, the parts' own rows, what is added up."""

from fault import BAND_KERNEL, BANDS, CORE, DEVICE_BANDS, RANKS, Fault

BACKEND = "backends/distributed/distributed_backend.cpp"
BAND = "backends/distributed/band_grid.cpp"
SCHEDULE = "backends/distributed/band_grid.h"
CUT = "backends/distributed/distributed_plan.cpp"
PLAN = "backends/distributed/band_plan.cpp"
RANK = "backends/distributed/rank_band.cpp"
PIECES = "backends/distributed/halo_piece.cpp"
RANKS_DRIVER = "backends/distributed/ranks_driver.cpp"
DRIVER = "backends/distributed/distributed_driver.cpp"
DEPTH = "backends/distributed/halo_depth.cpp"
TURN = "backends/distributed/turn.cpp"
AROUND = "core/stepping/surroundings.cpp"
RANK_GRIDS = "backends/distributed/rank_grids.cpp"

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
        "the last band alone decides how deep halos are",
        CUT,
        "seconds = std::max(seconds, *own);",
        "seconds = *own;",
        (BANDS,),
    ),
    Fault(
        "halos get deeper for what nobody can measure",
        DEPTH,
        "if (each < kWorthwhile * least)",
        "if (each < least)",
        (BANDS,),
    ),
    Fault(
        "the depth of halos forgets what an exchange costs",
        DEPTH,
        "(*stepping + exchange_seconds)",
        "*stepping",
        (BANDS,),
    ),
    Fault(
        "parts are not asked what their bands take",
        DRIVER,
        "return kernels[i].step_seconds(band, tuned, count);",
        "return std::optional<double>();",
        (RANKS,),
    ),
    Fault(
        "parts are asked what bands take whose halos pass through the host",
        DRIVER,
        "costs.band_seconds = {};",
        "",
        (RANKS,),
    ),
    Fault(
        "rank 0 speaks for devices of other kinds",
        RANKS_DRIVER,
        "if (equal(own)) costs.band_seconds",
        "costs.band_seconds",
        (RANKS,),
    ),
    Fault(
        "a device sends rows that are a row off",
        MAIL,
        "std::array{rows, height - 2 * rows}",
        "std::array{rows, height - 2 * rows + 1}",
        (DEVICE_BANDS,),
    ),
    Fault(
        "a device puts rows into the mailbox of the wrong side",
        MAIL,
        "trades.box(neighbour->boxes.at(), 1 - side)",
        "trades.box(neighbour->boxes.at(), side)",
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
        "run.edge_below = static_cast<u32>(edge_below);",
        "run.edge_below = static_cast<u32>(edge_below / 2);",
        (BAND_KERNEL,),
    ),
    Fault(
        "too few tiles of a band tell that they stored what leaves",
        STRIPS,
        "run.edge_above = static_cast<u32>(edge_above);",
        "run.edge_above = static_cast<u32>(edge_above / 2);",
        (BAND_KERNEL,),
    ),
    Fault(
        "rows go into the other one of a neighbour's buffers",
        MAIL,
        "s.there[0] = pointer(neighbour.front.at());",
        "s.there[0] = pointer(neighbour.back.at());",
        (DEVICE_BANDS,),
    ),
    Fault(
        "rows are stored a row off in a neighbour's halo",
        MAIL,
        "other.margin + 2 * trades.rows - stepper_->grid().height;",
        "other.margin + 2 * trades.rows - stepper_->grid().height + 1;",
        (DEVICE_BANDS,),
    ),
    Fault(
        "rows that were sent before an edit are taken for new",
        SCHEDULE,
        "    fresh = 0;\n    sent = false;\n",
        "    fresh = 0;\n",
        (DEVICE_BANDS,),
        units=("backends/distributed/distributed_backend.cpp",),
    ),
    Fault(
        "a halo is a row off, downwards",
        PIECES,
        "{-beside, own.end(), width",
        "{-beside, own.end() + (below > 1), width",
        (BANDS,),
    ),
    Fault(
        "a halo is a row off, upwards",
        PIECES,
        "{-beside, own.first - above, width",
        "{-beside, own.first - above - 1, width",
        (BANDS,),
    ),
    Fault(
        "a band's own cells do not come back to it",
        PIECES,
        "if (giver.end() <= cells.y ||",
        "if (from == i || giver.end() <= cells.y ||",
        (BANDS,),
    ),
    Fault(
        "a part of an edge goes to the place of another",
        PIECES,
        "piece.turn.down.y > 0 ? piece.cells.y - first : first - end;",
        "piece.turn.down.y > 0 ? piece.cells.y - first : 0;",
        (BANDS,),
    ),
    Fault(
        "a mirrored edge is a cell off",
        TURN,
        "cells.width() - 64 * (i + 1);",
        "cells.width() - 64 * (i + 1) - 1;",
        (BANDS,),
    ),
    Fault(
        "the edges of a sphere are turned the other way",
        TURN,
        "turn.right.y > 0 ? x : cells.height() - 1 - x",
        "turn.right.y < 0 ? x : cells.height() - 1 - x",
        (BANDS,),
    ),
    Fault(
        "copies beyond a twisted edge are taken for right under any rule",
        AROUND,
        "if (rule.next_of(p) != rule.next_of(image)) return false;",
        "(void)image;",
        (BANDS,),
    ),
    Fault(
        "who crosses a twisted edge twice comes out mirrored",
        AROUND,
        "times % 2 == 0 ? along",
        "times == 0 ? along",
        (CORE,),
    ),
    Fault(
        "a band with columns of halo is hashed in the wrong columns",
        BAND,
        "column0 - left / 64",
        "column0",
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
        "parts_->halos.forget();\n  parts_->each([&](Band& band) { band.edit(at, cells); });",
        "parts_->each([&](Band& band) { band.edit(at, cells); });",
        (BANDS,),
    ),
    Fault(
        "a soup leaves old halos",
        BACKEND,
        "parts_->halos.forget();\n  parts_->each([&](Band& band) { band.fill(soup, y, rows, index); });",
        "parts_->each([&](Band& band) { band.fill(soup, y, rows, index); });",
        (BANDS,),
    ),
    Fault(
        "a band's soup begins at its own first row",
        BAND,
        "index += static_cast<std::uint64_t>(part.y - y) * words;",
        "",
        (BANDS,),
    ),
    Fault(
        "a band is hashed by its own rows",
        BAND,
        "column0 - left / 64, row0 + shift)",
        "column0 - left / 64, row0)",
        (BANDS,),
    ),
    Fault(
        "bounds of a band are its own",
        BAND,
        "found.bounds->shifted(-left, shift)",
        "found.bounds->shifted(-left, 0)",
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
        "if (!alone && (options.halo * reach > rows || rows < reach)) {",
        "if (!alone && rows < reach) {",
        (BANDS,),
    ),
    Fault(
        "a rank gives the rows of its other end",
        RANK,
        "download(grid_.local(gives_[i].cells))",
        "download(grid_.local(gives_[gives_.size() - 1 - i].cells))",
        (RANKS,),
    ),
    Fault(
        "a rank takes cells beyond a twisted edge as they lie",
        RANK,
        "turned(got[i], gets_[i].turn)",
        "got[i]",
        (RANKS,),
    ),
    Fault(
        "ranks of unlike devices get as many rows",
        RANKS_DRIVER,
        "equal(own) ? std::vector",
        "equal(own) || true ? std::vector",
        (RANKS,),
    ),
    Fault(
        "ranks of more threads are taken for equal",
        RANKS_DRIVER,
        "(!threads || each.threads == first.threads)",
        "(!threads || each.threads > 0)",
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
        RANK_GRIDS,
        "  grid.band->changed();\n  std::exception_ptr error;",
        "  std::exception_ptr error;",
        (RANKS,),
    ),
    Fault(
        "the least row of all ranks is the most",
        RANK_GRIDS,
        "us().reduce(Reduction::least, box);",
        "us().reduce(Reduction::most, box);",
        (RANKS,),
    ),
    Fault(
        "a view shows rank 0 alone",
        RANK_GRIDS,
        "if (mine.any()) found = mine.grid().view(rect, scale);",
        "if (mine.any() && us().rank() == 0) found = mine.grid().view(rect, scale);",
        (RANKS,),
    ),
]
