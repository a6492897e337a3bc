"""Faults in the infinite plane as tiles: wake-ups, slots, margins, gliders, populations, edits."""

from fault import Fault, TILES

KERNEL = "backends/cpu/tile_kernel.cpp"
PLANE = "core/tiles/tile_plane.cpp"
EDITING = "core/tiles/tile_plane_editing.cpp"
DEPARTURES = "core/tiles/departures.cpp"

TILE_FAULTS = [
    Fault(
        "a neighbour is not woken",
        KERNEL,
        "bit(7, d.bottom & kRight)",
        "bit(7, 0)",
        (TILES,),
    ),
    Fault(
        "a neighbour that is not there yet is forgotten",
        PLANE,
        "queue(next_work_, table_.make(x + kWayX[d], y + kWayY[d]));",
        "if (d != 0) queue(next_work_, table_.make(x + kWayX[d], y + kWayY[d]));",
        (TILES,),
    ),
    Fault(
        "a ring's slot off by one",
        PLANE,
        "forced_[static_cast<std::size_t>((slot() + slots - 1) % slots)].push_back(at);",
        "forced_[static_cast<std::size_t>((slot() + slots - 2) % slots)].push_back(at);",
        (TILES,),
    ),
    Fault(
        "a step of another length is taken for a repetition",
        PLANE,
        "step.repeats = schedule_.length(step.before) == step.generations;",
        "step.repeats = true;",
        (TILES,),
    ),
    Fault(
        "a margin is not refreshed",
        KERNEL,
        "const Vec right = window_column(around[4], around[2], around[7], j);",
        "const Vec right = window_column(around[4], around[2], around[8], j);",
        (TILES,),
    ),
    Fault(
        "a shared state is written anew",
        KERNEL,
        "const bool anew = old == 0 || !v.states->alone(old);",
        "const bool anew = old == 0;",
        (TILES,),
    ),
    Fault(
        "a stale population",
        KERNEL,
        "v.states->rewritten(out);",
        "",
        (TILES,),
    ),
    Fault(
        "gliders are looked at a step late",
        PLANE,
        "if (generation_ + length > gliders_due_) {",
        "if (generation_ > gliders_due_ + 400) {",
        (TILES,),
    ),
    Fault(
        "a glider stays away though something is near",
        DEPARTURES,
        "if (behind || alone(away[i].at)) {",
        "if (behind || alone({away[i].at.x - 4000, away[i].at.y})) {",
        (TILES,),
    ),
    Fault(
        "gliders away are not put back before an edit",
        EDITING,
        "    departures_.clear();\n    return_gliders(all);",
        "    departures_.clear();",
        (TILES,),
    ),
]
