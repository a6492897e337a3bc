"""Faults in universes as tiles: wake-ups, slots, margins, gliders, populations, edits, seams, edges."""

from fault import DEVICE_TILES, Fault, RANKS, SHARED_TILES, TILE_STATES, TILE_THREADS, TILES, VULKAN_TILES

KERNEL = "backends/cpu/tile_kernel.cpp"
CPU_POOL = "backends/cpu/tile_pool.cpp"
CPU_WINDOW = "backends/cpu/tile_window.inl"
CPU_STEPS = "backends/cpu/tile_steps.inl"
BAND = "backends/cpu/tile_band.inl"
WORKLIST = "backends/cpu/tile_worklist.h"
PROGRAM_TILES = "backends/cpu/program_tiles.cpp"
PROGRAM_POOL = "backends/cpu/program_tile_pool.cpp"
PLANE = "core/tiles/tile_plane.cpp"
TABLE = "core/tiles/tile_table.cpp"
WATCHING = "core/tiles/tile_plane_watching.cpp"
RESTING = "core/tiles/tile_plane_sharing.cpp"
COPIES = "core/tiles/tile_plane_copies.cpp"
ADAPTIVE = "core/spaces/adaptive_space.cpp"
LAYOUT = "core/tiles/tile_layout.cpp"
PLACES = "core/tiles/tile_layout.h"
EDITING = "core/tiles/tile_plane_editing.cpp"
SUMS = "core/tiles/tile_plane_sums.cpp"
DEPARTURES = "core/tiles/departures.cpp"
SHADER = "shaders/tiles.comp"
WINDOW = "shaders/tile_window.glsl"
COPYING = "shaders/tile_copies.comp"
SERVING = "shaders/tile_host.comp"
CUDA_KERNEL = "backends/cuda/kernels/tiles.cu"
DRIVER = "tests/gpu/emulation/driver/fake_driver.cpp"
DEVICE = "core/tiles/device_tiles.cpp"
LENDING = "core/tiles/tile_plane_device.cpp"

SHARING = "backends/distributed/shared_tiles_stepping.cpp"
SHARED = "backends/distributed/shared_tiles.cpp"
MOVING = "backends/distributed/shared_tiles_balance.cpp"
PART = "backends/distributed/tile_part.cpp"
POOL_TILES = "core/tiles/pool_tiles.cpp"
RANK_TILES = "backends/distributed/rank_tiles.cpp"
RANKS_DRIVER = "backends/distributed/ranks_driver.cpp"

TILE_FAULTS = [
    Fault(
        "a rank is asked for room once, whatever rings begin",
        RANK_TILES,
        "  reserved_ = 0;\n",
        "",
        (RANKS,),
    ),
    Fault(
        "a rank's tiles seem to take what they took at first",
        RANK_TILES,
        "bytes_per_tile_ = answer.take<std::int64_t>();",
        "answer.take<std::int64_t>();",
        (RANKS,),
    ),
    Fault(
        "ranks on one device take all of its memory each",
        RANKS_DRIVER,
        "each.memory / sharing",
        "each.memory",
        (RANKS,),
    ),
    Fault(
        "a part gets no borders",
        SHARING,
        "if (mirror.changed != step_) continue;",
        "if (mirror.changed != step_ || which == 1) continue;",
        (SHARED_TILES,),
    ),
    Fault(
        "borders are exchanged a step late",
        SHARING,
        "if (mirror.changed != step_) continue;",
        "if (mirror.changed + 1 != step_) continue;",
        (SHARED_TILES,),
    ),
    Fault(
        "a tile that moved to another part is on nobody's list",
        MOVING,
        "into.hold(number);",
        "if (i % 5 != 0) into.hold(number);",
        (SHARED_TILES,),
    ),
    Fault(
        "who sees a border change is not woken",
        SHARING,
        "wake(mirror, mirror.ways, which);\n  }\n  part.flush",
        "wake(mirror, mirror.ways & ~2u, which);\n  }\n  part.flush",
        (SHARED_TILES,),
    ),
    Fault(
        "a new ghost lacks a slot",
        PART,
        "if (k == slot) continue;",
        "if (k == slot || k == 1) continue;",
        (SHARED_TILES,),
    ),
    Fault(
        "an edit leaves old ghosts",
        SHARED,
        "parts_[ghost.part]->draw(ghost.number, patch.rows[i]);",
        "",
        (SHARED_TILES,),
    ),
    Fault(
        "a step that failed is not taken anew",
        SHARING,
        "if (unsure_) hold_all(slot);",
        "",
        (SHARED_TILES,),
    ),
    Fault(
        "seams stay where they are",
        MOVING,
        "} else if (active >= few && most > policy_.uneven * visits / speed) {",
        "} else if (active >= few && most > 100 * policy_.uneven * visits / speed) {",
        (SHARED_TILES,),
    ),
    Fault(
        "a pool's held tile is visited once",
        POOL_TILES,
        "for (const auto& [tile, until] : held_) queue(tile);",
        "",
        (SHARED_TILES,),
    ),
    Fault(
        "a neighbour is not woken",
        WORKLIST,
        "kRightColumns, kLeftColumns, kColumns,      kRightColumns};",
        "kRightColumns, kLeftColumns, kColumns,      0};",
        (TILES,),
        (KERNEL,),
    ),
    Fault(
        "a neighbour that is not there yet is forgotten",
        PLANE,
        "wake(work, {at.x + kWayX[d], at.y + kWayY[d]});",
        "if (d != 0) wake(work, {at.x + kWayX[d], at.y + kWayY[d]});",
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
        "a short ring looks too far ahead",
        PLANE,
        "restart(Schedule::beginning_with(generations));",
        "restart(Schedule::of_slots(2));",
        (TILES,),
    ),
    Fault(
        "an edit wakes those who see what is new, not what is gone",
        EDITING,
        "touched(tile, ways_that_see(difference(planes, before)));",
        "touched(tile, ways_that_see(planes.front()));",
        (TILES,),
    ),
    Fault(
        "a margin is not refreshed",
        CPU_WINDOW,
        "load_column(around.of[4], around.of[2], around.of[7], side);",
        "load_column(around.of[4], around.of[2], around.of[8], side);",
        (TILES,),
        (KERNEL,),
    ),
    Fault(
        "a shared state is written anew",
        KERNEL,
        "const bool anew = !v.states->rewritable(old);",
        "const bool anew = old == 0;",
        (TILES,),
    ),
    Fault(
        "a stale population",
        KERNEL,
        "v.states->written(out, d.seen_by);",
        "",
        (TILES,),
    ),
    Fault(
        "a margin with cells is taken for an empty one",
        KERNEL,
        "v.states->seen_by(state) >> (kTileWays - 1 - way) & 1u;",
        "v.states->seen_by(state) >> way & 1u;",
        (TILES,),
    ),
    Fault(
        "what moves in half of the rows of a window is not seen",
        CPU_WINDOW,
        "Vec& all = of[j / 4][p];",
        "Vec& all = of[0][p];",
        (TILES,),
        (KERNEL,),
    ),
    Fault(
        "what leaves a band of a window is not seen",
        BAND,
        "if (!open_below && hn::ExtractLane(last_changed, kInPart - 1) != 0) return false;",
        "",
        (TILES,),
        (KERNEL,),
    ),
    Fault(
        "a band of a window begins with what moves",
        BAND,
        "(groups.first <= from && !open_above)",
        "(groups.first < from && !open_above)",
        (TILES,),
        (KERNEL,),
    ),
    Fault(
        "gliders are looked at a step late",
        PLANE,
        "if (gliders_due_ != kNever && length > gliders_due_ - generation_) {",
        "if (gliders_due_ != kNever && generation_ - 400 > gliders_due_) {",
        (TILES,),
    ),
    Fault(
        "a glider stays away though something is near",
        DEPARTURES,
        "if ((behind || alone(away[i].at)) &&",
        "if ((behind || alone({away[i].at.x - 4000, away[i].at.y})) &&",
        (TILES,),
    ),
    Fault(
        "looks pause though gliders away need one",
        DEPARTURES,
        "away_.empty() ? pause_until_ : std::min(pause_until_, safe_until_);",
        "pause_until_;",
        (TILES,),
    ),
    Fault(
        "what comes of gliders that meet reaches nobody",
        DEPARTURES,
        "if (stays[i]) inhabit(candidates[i].at, 3);",
        "",
        (TILES,),
    ),
    Fault(
        "gliders away are not put back before an edit",
        EDITING,
        "    departures_.clear();\n    return_gliders(all);",
        "    departures_.clear();",
        (TILES,),
    ),
    Fault(
        "the seam of a torus off by one cell",
        LAYOUT,
        "const std::int64_t cell = floor_mod(at * kTileSide + to, cells);",
        "const std::int64_t cell = floor_mod(at * kTileSide + to + 1, cells);",
        (TILES,),
    ),
    Fault(
        "a copy at a corner is forgotten",
        PLACES,
        "if (x > 0 || y > 0) visit",
        "if ((x > 0) != (y > 0)) visit",
        (TILES,),
        units=(COPIES,),
    ),
    Fault(
        "a copy's change wakes nobody",
        COPIES,
        "wake_beside(work, tile, copy.ways);",
        "wake_beside(work, tile, copy.ways & 0xAA);",
        (TILES,),
    ),
    Fault(
        "copies are not made anew after an edit",
        PLANE,
        "renew_copy(copy);",
        "static_cast<void>(copy);",
        (TILES,),
    ),
    Fault(
        "an edit forgets the cells beyond the edge",
        LAYOUT,
        "out.push_back(out.back() + cells);",
        "break;",
        (TILES,),
    ),
    Fault(
        "what is born beyond a plane's edge lives for a generation",
        CPU_STEPS,
        "w.v[j][p] = hn::And(w.v[j][p], hn::Load(Tag(), mask.rows + 8 * j + p * kLanes));",
        "if (g + 1 == generations) w.v[j][p] = hn::And(w.v[j][p], hn::Load(Tag(), mask.rows + 8 * j + p * kLanes));",
        (TILES,),
        (KERNEL,),
    ),
    Fault(
        "a plane's edge one cell too far out",
        LAYOUT,
        "if (kind & kLast) end = kTileMargin + axis.own(axis.tiles - 1);",
        "if (kind & kLast) end = kTileMargin + axis.own(axis.tiles - 1) + 1;",
        (TILES,),
    ),
    Fault(
        "a last tile of few cells is not seen from the one before",
        LAYOUT,
        "const bool near = cells - (at + 1) * kTileSide < kTileMargin;",
        "const bool near = cells - (at + 1) * kTileSide < kTileMargin - 4;",
        (TILES,),
    ),
    Fault(
        "cells beyond the edge are counted",
        LAYOUT,
        "if (columns < kTileSide) {",
        "if (columns < kTileSide - 1) {",
        (TILES,),
    ),
    Fault(
        "copies repeat less than windows see",
        LAYOUT,
        "fill(-1, kTileSide - kTileMargin, kTileSide, before);",
        "fill(-1, kTileSide - kTileMargin + 1, kTileSide, before);",
        (TILES,),
    ),
    Fault(
        "a thread's changed tiles are forgotten where copies repeat them",
        CPU_POOL,
        "next.copied.insert(",
        "if (i > 0) next.copied.insert(",
        (TILE_THREADS,),
    ),
    Fault(
        "copies are forgotten while stepping",
        PLANE,
        "if (table_.layout().has_copies()) renew_copies(step.after, next_work_);",
        "",
        (TILES,),
    ),
    Fault(
        "a move to tiles forgets the cells",
        ADAPTIVE,
        "tiles->take(*held_, kTileSide);\n    hold_tiles(std::move(tiles));\n    switches_++;",
        "hold_tiles(std::move(tiles));\n    switches_++;",
        (TILES,),
    ),
    Fault(
        "a move happens a generation late",
        ADAPTIVE,
        "passed_ += done;",
        "passed_ += done + (tiled_ && tiled_->crowded() ? 1 : 0);",
        (TILES,),
    ),
    Fault(
        "crowded tiles stay tiles",
        ADAPTIVE,
        "if (!tiled_->crowded() || (grid_pays() && to_grid())) return;",
        "if (!tiled_->crowded() || grid_pays()) return;",
        (TILES,),
    ),
    Fault(
        "what a grid holds around a plane's cells costs nothing",
        ADAPTIVE,
        "area_of(GrowingSpace::grid_for(held_->extent(), spec()))",
        "area_of(held_->extent())",
        (TILES,),
    ),
    Fault(
        "what has settled stays a grid",
        ADAPTIVE,
        "if (settled && to_tiles()) return;",
        "if (!settled && to_tiles()) return;",
        (TILES,),
    ),
    Fault(
        "a sum is not undone",
        SUMS,
        "sums.population += now - before;",
        "sums.population += now;",
        (TILES,),
    ),
    Fault(
        "a replaced tile is not summed again",
        EDITING,
        "  sum_again(tile);\n",
        "",
        (TILES,),
    ),
    Fault(
        "Vulkan: a neighbour is not woken",
        WINDOW,
        "return ways | (middle >> 1 & 1) << 3 |",
        "return ways |",
        (VULKAN_TILES,),
        (SHADER,),
    ),
    Fault(
        "Vulkan: a margin is not refreshed",
        WINDOW,
        "rows[i].x |= now[west * TILE_ROWS + at].y >> 16;",
        "rows[i].x |= i > 0 ? now[west * TILE_ROWS + at].y >> 16 : 0;",
        (VULKAN_TILES,),
        (SHADER,),
    ),
    Fault(
        "Vulkan: a worklist is not emptied",
        SHADER,
        "work[old + 3] = 0;",
        "",
        (VULKAN_TILES,),
    ),
    Fault(
        "Vulkan: a worklist has more tiles than its dispatch",
        WINDOW,
        "atomicMax(work[head], min(groups, p.most_groups));",
        "",
        (VULKAN_TILES,),
        (SHADER,),
    ),
    Fault(
        "Vulkan: a copy's change wakes nobody",
        COPYING,
        "ways = subgroupOr(ways) & 255;",
        "ways = subgroupOr(ways) & 0;",
        (VULKAN_TILES,),
    ),
    Fault(
        "Vulkan: a step goes to the slot behind its own",
        "backends/vulkan/vulkan_tiles.cpp",
        "stepping_set(step.now, step.after)",
        "stepping_set(step.now, (step.after + 1) % slots_)",
        (VULKAN_TILES,),
    ),
    Fault(
        "Vulkan: a tile's population is that of the last look",
        SERVING,
        "const uvec2 cells = slot[at];",
        "const uvec2 cells = p.until != 0 ? slot[at] : uvec2(other[2 * at], other[2 * at + 1]);",
        (VULKAN_TILES,),
    ),
    Fault(
        "CUDA: a neighbour is not woken",
        CUDA_KERNEL,
        "(is_west ? west : is_middle ? any : east)",
        "(is_west ? 0 : is_middle ? any : east)",
        (DEVICE_TILES,),
        (DRIVER,),
    ),
    Fault(
        "CUDA: a step goes to the slot behind its own",
        CUDA_KERNEL,
        "&state_of(ring, tile, s.after)[lane - kFirstOwn];",
        "&state_of(ring, tile, (s.after + 1) % (ring.places - 1))[lane - kFirstOwn];",
        (DEVICE_TILES,),
        (DRIVER,),
    ),
    Fault(
        "CUDA: a margin is not refreshed",
        CUDA_KERNEL,
        "b = c.y | l.y >> 48 | r.y << 48;",
        "b = c.y | r.y << 48;",
        (DEVICE_TILES,),
        (DRIVER,),
    ),
    Fault(
        "CUDA: a tile's population is that of the last look",
        CUDA_KERNEL,
        "pair = state_of(ring, tile, slot)[lane];",
        "pair = state_of(ring, tile, since < ring.places ? since : slot)[lane];",
        (DEVICE_TILES,),
        (DRIVER,),
    ),
    Fault(
        "what was drawn is not seen before a device is told",
        DEVICE,
        "for (std::size_t i = 0; i < patch_.drawn.size(); i++) put(patch_.drawn[i], patch_.rows[i]);",
        "",
        (DEVICE_TILES,),
    ),
    Fault(
        "a neighbour that a device misses is made and not visited",
        LENDING,
        "device_->queue(table_.make(place.x, place.y));",
        "table_.make(place.x, place.y);",
        (DEVICE_TILES,),
    ),
    Fault(
        "a tile drawn on a device is taken for one of a ring ago",
        PLANE,
        "device_->hold(tile);",
        "device_->queue(tile);",
        (DEVICE_TILES,),
    ),
    Fault(
        "steps that a device did not take are counted",
        "backends/cuda/cuda_tiles.cpp",
        "clock_ += static_cast<u32>(done.steps);",
        "clock_ += static_cast<u32>(steps.size());",
        (DEVICE_TILES,),
    ),
    Fault(
        "some cells are not lent",
        LENDING,
        "tiles->draw(0, tile, rows);",
        "if (tile % 7) tiles->draw(0, tile, rows);",
        (DEVICE_TILES,),
    ),
    Fault(
        "a few tiles with a period are never watched",
        WATCHING,
        "schedule_.period() % (p * length) == 0) continue;",
        "schedule_.period() % (p * length) != 0) continue;",
        (TILES,),
    ),
    Fault(
        "a shared state is not held",
        RESTING,
        "store_->hold(instead);",
        "if (instead == 0) store_->hold(instead);",
        (TILES,),
    ),
    Fault(
        "a device is opened again for a grid that tiles cannot become",
        ADAPTIVE,
        "if (tiled_->on_device() || (grid_elsewhere_ && tiled_->movable())) return false;",
        "if (tiled_->on_device()) return false;",
        (TILES,),
    ),
    Fault(
        "a new tile takes its neighbour's western neighbour for its own",
        TABLE,
        "const int x = kWayX[e] - kWayX[d], y",
        "const int x = kWayX[d] - kWayX[e], y",
        (TILES,),
    ),
    Fault(
        "round a side of two tiles neighbours are asked who do not know the new tile yet",
        TABLE,
        "constexpr std::int64_t kShort = 4;",
        "constexpr std::int64_t kShort = 0;",
        (TILES,),
    ),
    Fault(
        "cells drawn twice between two steps come to the device as they were at first",
        DEVICE,
        "patch_.rows[*at] = rows;",
        "",
        (DEVICE_TILES,),
    ),
    Fault(
        "tiles that a device has stepped into are taken for untouched",
        DEVICE,
        "  fresh_ = false;\n  moved();\n  missing.clear();",
        "  moved();\n  missing.clear();",
        (DEVICE_TILES,),
    ),
    Fault(
        "a program takes the row above a window's first one for its last",
        PROGRAM_TILES,
        "middle[i] = cells[kWindow - kRow + i - 1];",
        "middle[i] = cells[kWindow - kRow + i];",
        (TILE_STATES,),
    ),
    Fault(
        "a plane that moves in a tile leaves the one before it there",
        PROGRAM_TILES,
        "from < count ? planes.now[from] : planes.spare[made++]",
        "from < count ? planes.now[plane] : planes.spare[made++]",
        (TILE_STATES,),
    ),
    Fault(
        "a tile is looked at in its first plane alone",
        PROGRAM_TILES,
        "at < planes * kOwn; at += 6",
        "at < kOwn; at += 6",
        (TILE_STATES,),
    ),
    Fault(
        "cells of programs are born beyond the edge of a bounded plane",
        PROGRAM_TILES,
        "planes.now[plane][i] &= mask[i];",
        "planes.now[plane][i] &= ~std::uint64_t{0};",
        (TILE_STATES,),
    ),
    Fault(
        "the hash of tiles forgets in which plane a word stands",
        SUMS,
        "y * kTileSide + r, p);",
        "y * kTileSide + r, 0);",
        (TILE_STATES,),
    ),
    Fault(
        "copies along a torus's seam have state 1 alone",
        COPIES,
        "for (std::size_t p = 0; p < cells.size(); p++) {",
        "for (std::size_t p = 0; p < 1; p++) {",
        (TILE_STATES,),
    ),
    Fault(
        "what comes to a tile leaves bits of the states that were there",
        EDITING,
        "for (int p = 0; p < planes_; p++) {",
        "for (int p = 0; p < drawn; p++) {",
        (TILE_STATES,),
    ),
    Fault(
        "gliders of Life leave under every rule with its births and survivals",
        "core/tiles/glider.cpp",
        "  if (!rule.outer_totalistic()) return;",
        "",
        (TILE_STATES,),
    ),
]
