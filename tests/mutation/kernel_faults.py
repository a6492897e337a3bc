"""Faults in the circuits, kernels and drivers."""

from fault import (
    CASES,
    COMPILED,
    CONTRACT,
    DRIVERS,
    Fault,
    GATES_TEST,
    LAUNCHES,
    PASSES,
    PROGRAM_KERNEL,
    PROGRAM_MODULE,
    RULE_SOURCE,
    STATES_TEST,
    THREADS,
)

WORD = "backends/cpu/word_backend.cpp"
RING = "backends/cpu/ringed_backend.cpp"
GATE_RUNNER = "backends/cpu/gate_runner.cpp"
PLANES = "backends/cpu/planes_backend.cpp"
STATES = "core/rules/state_program.cpp"
GATE_PLAN = "backends/cpu/gate_plan.cpp"
GATE_VECTORS = "backends/cpu/gate_vectors.cpp"
NET = "core/rules/gate_net.cpp"
REFERENCE = "backends/cpu/reference_backend.cpp"
GRID = "backends/cpu/strip_grid.cpp"
LAYOUT = "backends/cpu/strip_layout.cpp"
STRIPS = "backends/cpu/strip_kernel.cpp"
COLUMNS = "backends/cpu/strip_columns.inl"
RULES = "backends/cpu/rule_gates.inl"
CLOSER = "backends/cpu/strip_closer.inl"
SUM = "core/rules/bitwise_sum.inl"
CIRCUIT = "core/rules/circuit.inl"

RULE_TEXT = "backends/cuda/rule_source.cpp"
CUDA_STRIPS = "backends/cuda/kernels/strips.cu"
SPIRV = "backends/vulkan/program_module.cpp"

KERNEL_FAULTS = [
    # Rules as programs on GPUs.
    Fault(
        "the functions of a row in another order in the text",
        RULE_TEXT,
        "signal < 9 ? signal / 3 : signal % 3;",
        "signal < 9 ? signal / 3 : signal / 3 % 3;",
        (RULE_SOURCE,),
    ),
    Fault(
        "the row below taken for the row above",
        RULE_TEXT,
        "if (name.array == 'c') below |= 1u << name.index;",
        "if (name.array == 'a') below |= 1u << name.index;",
        (RULE_SOURCE,),
    ),
    Fault(
        "a plane becomes what it was",
        RULE_TEXT,
        "name(program.next[static_cast<std::size_t>(p)])",
        "name(p)",
        (RULE_SOURCE,),
    ),
    Fault(
        "a program reads the row above where the row below is",
        CUDA_STRIPS,
        "below = r + 1 < R ? signals_of(r + 1) : end;",
        "below = r + 1 < R ? signals_of(r + 1) : above;",
        (PROGRAM_KERNEL,),
        ("tests/gpu/emulation/strips_emulation_test.cpp",),
    ),
    Fault(
        "a gate of SPIR-V takes its inputs in the program's order",
        SPIRV,
        "inputs[i] = in[spelling.order[i]];",
        "inputs[i] = in[i];",
        (PROGRAM_MODULE,),
    ),
    Fault(
        "the bound of identifiers is not raised",
        SPIRV,
        "  out[kBound] = bound;\n",
        "",
        (PROGRAM_MODULE,),
    ),
    Fault(
        "rows of a function in SPIR-V mixed up",
        SPIRV,
        "if (signal < first) return {signal % 3, 3 + (signal - 9) / 3};",
        "if (signal < first) return {(signal + 1) % 3, 3 + (signal - 9) / 3};",
        (PROGRAM_MODULE,),
    ),
    # SINGLE-WORD and DOUBLE-WORD.
    Fault(
        "dropped carry from the word to the west",
        WORD,
        "row[i] << 1 | previous >> 63",
        "row[i] << 1",
        (LAUNCHES,),
    ),
    Fault(
        "wrong bit from the word to the east",
        WORD,
        "following << 63",
        "following << 62",
        (LAUNCHES,),
    ),
    Fault(
        "torus wrap off by one column",
        RING,
        "array.set(0, y, array.get(w, y));",
        "array.set(0, y, array.get(w - 1, y));",
        (LAUNCHES,),
    ),
    Fault(
        "torus wraps to the wrong row",
        RING,
        "std::copy_n(array.row(1), array.words_per_row(), array.row(h + 1));",
        "std::copy_n(array.row(h), array.words_per_row(), array.row(h + 1));",
        (LAUNCHES,),
    ),
    Fault(
        "plane border not masked each generation",
        RING,
        "    clear_ring(array);\n    return;",
        "    return;",
        (LAUNCHES,),
    ),
    Fault(
        "an odd last row is lost",
        WORD,
        "for (; y <= h; y++) {",
        "for (; y < h; y++) {",
        (LAUNCHES,),
    ),
    Fault(
        "wrong neighbour in a double word",
        WORD,
        "quad(d.west, d.centre, d.east, b.centre)",
        "quad(d.west, d.centre, d.east, c.centre)",
        (LAUNCHES,),
    ),
    Fault(
        "the ring is counted",
        RING,
        "survey_cells(front_, {rect.x + 1, rect.y + 1,",
        "survey_cells(front_, {rect.x, rect.y,",
        (CONTRACT, CASES),
    ),
    Fault(
        "a sum of pairs without carry",
        SUM,
        "s1 = a1 ^ b1 ^ (a0 & b0);",
        "s1 = a1 ^ b1;",
        (LAUNCHES,),
        (WORD,),
    ),
    # The carry x & y alone is no fault: it belongs to a sum of exactly four, which then looks
    # like none.
    Fault(
        "a sum of quads without carry",
        SUM,
        "s23 = a2 | b2 | (a1 & b1) | (x & y);",
        "s23 = a2 | b2 | (x & y);",
        (LAUNCHES,),
        (WORD,),
    ),
    Fault(
        "dropped carry in the count of eight",
        SUM,
        "carry = (a1 & b1) | (x & y);",
        "carry = a1 & b1;",
        (LAUNCHES,),
        (WORD,),
    ),
    Fault("eight neighbours are none", SUM, "s3 = a2 & b2;", "s3 = a2 ^ a2;", (CASES,), (WORD,)),
    # Programs of gates.
    Fault(
        "a row function read one row too high",
        GATE_PLAN,
        "signal % 3};",
        "signal % 3 / 2};",
        (GATES_TEST,),
    ),
    Fault(
        "a buffer is given away while it is read",
        GATE_PLAN,
        "if (values[v].last_use == step)",
        "if (values[v].last_use <= step + 1)",
        (GATES_TEST,),
    ),
    Fault(
        "gates lose the carry from the west",
        GATE_VECTORS,
        "hn::ShiftRight<63>(hn::LoadU(d, from + i - 1))",
        "hn::ShiftRight<63>(hn::LoadU(d, from + i))",
        (GATES_TEST,),
    ),
    Fault(
        "the first row of a band of gates is its second",
        GATE_RUNNER,
        "load_row(plan, *arrays.from[0], y + row, column,",
        "load_row(plan, *arrays.from[0], y + row + (row < 0), column,",
        (GATES_TEST,),
    ),
    Fault(
        "ages end one state too early",
        STATES,
        "if (next == 0) return codes.size() == dying;",
        "if (next == 0) return codes.size() + 1 == dying;",
        (STATES_TEST,),
    ),
    Fault(
        "a plane that nothing moves from is lost",
        PLANES,
        "if (!moved[p]) left.push_back(std::move(old[p]));",
        "if (moved[p]) left.push_back(std::move(old[p]));",
        (STATES_TEST,),
    ),
    Fault(
        "the compiler drops a complement",
        NET,
        "if (from.negated) table = with_negated(table, i);",
        "if (from.negated && i != 1) table = with_negated(table, i);",
        (GATES_TEST,),
    ),
    Fault(
        "the compiler takes a complement for the same",
        NET,
        "return {other, opposite};",
        "return {other, false};",
        (GATES_TEST,),
    ),
    # The judge.
    Fault(
        "the reference forgets neighbours in the same row",
        REFERENCE,
        "if (dx != 0 || dy != 0) count",
        "if (dy != 0) count",
        (LAUNCHES,),
    ),
    Fault(
        "the reference does not wrap upwards",
        REFERENCE,
        "y = y < 0 ? y + height",
        "y = y < 0 ? 0",
        (LAUNCHES,),
    ),
    # The vector kernel.
    Fault(
        "seam bit lost at the left edge of a torus",
        CLOSER,
        "if constexpr (kEnds == Ends::torus) return turned_right<63>(last);",
        "if constexpr (kEnds == Ends::torus) return hn::ShiftLeft<1>(last);",
        (LAUNCHES,),
        (STRIPS,),
    ),
    Fault(
        "seam bit lost between segments",
        LAYOUT,
        "inner_left[lane] = s > 0 || joined ? 1 : 0;",
        "inner_left[lane] = joined ? 1 : 0;",
        (LAUNCHES, CASES),
    ),
    Fault(
        "a shorter strip does not see the next one",
        CLOSER,
        "last = choose(long_strips_, last, right);",
        "last = hn::And(long_strips_, last);",
        (LAUNCHES,),
        (STRIPS,),
    ),
    Fault(
        "a shorter strip ends a column too late",
        CLOSER,
        "last_columns = choose(long_strips_, last, last_but_one);",
        "",
        (LAUNCHES,),
        (STRIPS,),
    ),
    Fault(
        "cells live in strips without columns",
        CLOSER,
        "store(hn::And(load(row + r * stride), long_strips_), row + r * stride);",
        "",
        (LAUNCHES, CASES),
        (STRIPS,),
    ),
    Fault(
        "a narrow torus laid out as a wider one",
        LAYOUT,
        "layout.columns = spec.width * ceil_div(layout.strips(), spec.width);",
        "layout.columns = layout.strips();",
        (LAUNCHES,),
    ),
    Fault(
        "a task writes over the rows of the one before",
        STRIPS,
        "const std::int64_t lowest = p.first == 0 ? -layout.margin_top : p.first;",
        "const std::int64_t lowest = -layout.margin_top;",
        (PASSES,),
    ),
    Fault(
        "rows kept between groups lose their left ghosts",
        COLUMNS,
        "store(load(g.in + (g.rows - 1) * g.stride - n), b - n);",
        "",
        (LAUNCHES,),
        (STRIPS,),
    ),
    Fault(
        "rows kept between groups lose their right ghosts",
        COLUMNS,
        "store(a, g.state + g.words * lanes());",
        "",
        (LAUNCHES,),
        (STRIPS,),
    ),
    Fault(
        "segments do not meet around the torus",
        LAYOUT,
        "inner_right[lane] = s + 1 < segments || joined ?",
        "inner_right[lane] = s + 1 < segments ?",
        (LAUNCHES, CASES),
    ),
    Fault(
        "what a shorter strip sees is counted as its own",
        LAYOUT,
        "std::min(layout.first_column(strip + 1), layout.width) - first;",
        "layout.words + 0 * first;",
        (CONTRACT, CASES),
    ),
    Fault(
        "dropped carry when rows are read",
        LAYOUT,
        "if (high != 0) row[column / 64 + 1] |= high;",
        "if (high == 1) row[column / 64 + 1] |= high;",
        (CONTRACT,),
    ),
    Fault(
        "dropped carry when rows are written",
        LAYOUT,
        "if (shift != 0 && i + 1 < canonical) block[b] |=",
        "if (shift != 0 && i + 2 < canonical) block[b] |=",
        (CONTRACT,),
    ),
    Fault(
        "wrong band halo",
        STRIPS,
        "if (margin.depth > generations) break;",
        "if (margin.depth >= generations) break;",
        (LAUNCHES,),
    ),
    Fault(
        "generation remainder lost",
        GRID,
        "run_pass(rules, rest, plan_tasks(layout_, rest, tuning_.rows, tasks_));",
        "",
        (LAUNCHES,),
    ),
    Fault(
        "margin taken from a row off by one",
        LAYOUT,
        "floor_mod(row, layout.height)",
        "floor_mod(row + 1, layout.height)",
        (LAUNCHES,),
    ),
    Fault(
        "ghosts not closed after cells were written",
        GRID,
        "opened(at.y, cells.height());",
        "",
        (LAUNCHES,),
    ),
    Fault(
        "the last edited row's ghosts stay open",
        GRID,
        "std::min(end, all)",
        "std::min(end - 1, all)",
        (CONTRACT,),
    ),
    Fault(
        "edited rows of the next lane stay open",
        GRID,
        "if (end > all) open_.emplace_back(0, end - all);",
        "",
        (CONTRACT,),
    ),
    Fault(
        "a row between two threads' bands is lost",
        GRID,
        "layout_.band_rows * (task + 1) / tasks;",
        "layout_.band_rows * (task + 1) / tasks - (task + 1 < tasks ? 1 : 0);",
        (THREADS,),
    ),
    Fault(
        "a part's soup begins at its own first row",
        "core/stepping/step_backend.cpp",
        "do_fill(soup, y, rows, index);",
        "do_fill(soup, y, rows, 0);",
        (CONTRACT,),
    ),
    Fault(
        "the margin is counted",
        GRID,
        "row_of(lane) >= first && row_of(lane) < end ?",
        "row_of(lane) >= first ?",
        (CONTRACT,),
    ),
    Fault(
        "plane rows outside not masked each generation",
        STRIPS,
        "border.clear(first_out, count, to);",
        "",
        (LAUNCHES,),
    ),
    Fault(
        "wrong row code reused",
        COLUMNS,
        "xa = xb, ma = mb, xb = xc, mb = mc, x = centre;\n    return next;",
        "xa = xb, ma = mc, xb = xc, mb = mc, x = centre;\n    return next;",
        (LAUNCHES,),
        (STRIPS,),
    ),
    Fault(
        "a live cell counts itself",
        RULES,
        "const int neighbours = t0 + 2 * p - x;",
        "const int neighbours = t0 + 2 * p;",
        (LAUNCHES,),
        (STRIPS, "backends/cpu/tile_kernel.cpp"),
    ),
    Fault(
        "wrong gate in Life's circuit",
        CIRCUIT,
        "TESSERA_GATE(0xC8, g1, mb, xb, mb & (g1 | xb))",
        "TESSERA_GATE(0xC0, g1, mb, xb, mb & g1)",
        (LAUNCHES,),
        (STRIPS,),
    ),
    # Machine code.
    Fault(
        "a gate's operands are swapped",
        "backends/cpu/gate_writer.cpp",
        "table = with_order(table, order);",
        "",
        (COMPILED,),
    ),
    Fault(
        "a gate is taken for its complement",
        "backends/cpu/gate_writer.cpp",
        "if (signal.negated) table = with_negated(table, i);",
        "",
        (COMPILED,),
    ),
    Fault(
        "two live values share a slot",
        "backends/cpu/register_plan.cpp",
        "if (free_slots_.empty()) return slots_++;",
        "if (free_slots_.empty()) return slots_ > fixed_slots_ ? fixed_slots_ : slots_++;",
        (COMPILED,),
    ),
    Fault(
        "a value goes home over another",
        "backends/cpu/register_plan.cpp",
        "if (held(index) != kNone) return false;",
        "",
        (COMPILED,),
    ),
    Fault(
        "a row's functions serve one row too few",
        "backends/cpu/column_code.cpp",
        "function = {function[kOwn], function[kBelow], {}};",
        "function = {function[kBelow], function[kBelow], {}};",
        (COMPILED,),
    ),
    Fault(
        "rows above a group are not kept by its code",
        "backends/cpu/column_code.cpp",
        "out.store(out.load(place(CodeBase::keep_b, c)), place(CodeBase::state_b, c));",
        "",
        (COMPILED,),
    ),
    # Drivers.
    Fault(
        "any device number will do",
        "backends/drivers.cpp",
        "if (!index || device.index == *index)",
        "if (!index || device.index >= 0)",
        (DRIVERS,),
    ),
    Fault(
        "the memory limit is ignored",
        "backends/cpu/cpu_driver.cpp",
        "if (needed > limit) {",
        "if (needed < 0) {",
        (DRIVERS,),
    ),
]
