#pragma once

#include <string>

#include "core/rules/count_edges.h"
#include "core/rules/rule.h"
#include "core/rules/state_program.h"
#include "core/rules/transition_graph.h"
#include "core/stepping/backend_spec.h"

namespace tessera::cuda {

/// The text of "rule.cuh" for an outer-totalistic rule, made only from the rule's masks:
///   TESSERA_LIFE    1 for B3/S23, whose circuit is in circuit.inl;
///   tessera_tail    otherwise: the end of the rule's circuit, three-input gates of t0, k, u0, u1
///                   and x;
///   TESSERA_SUM_T0, TESSERA_SUM_U0
///                   whether the kernel strips should compute t0, and u0, from a sum and a
///                   majority.
std::string rule_header(const Rule& rule);

/// The text of "rule.cuh" for any rule, for the kernel strips:
///   TESSERA_PROGRAM  1
///   TESSERA_PLANES   P, the planes of a cell's state
///   TESSERA_CODES    n, the functions of one row: of a word and the words of its left and right
///                    neighbours
///   TESSERA_ABOVE(n), TESSERA_BELOW(n)
///                    whether it reads of the rows above and below: 0 the left neighbours, 1 the
///                    words, 2 the right ones, 3 + i function i; bits by TESSERA_BIT of gates.cuh
///   tessera_codes    makes the functions of a row, behind its three words
///   tessera_program  what lives, from the row above, its own and the row below
///   tessera_states   if P > 1: the next planes of a word, from them and from what lives
std::string program_header(const StateProgram& program);

/// The same for two rules of two states that take turns:
///   TESSERA_TURNS    2
///   tessera_program, TESSERA_ABOVE(n), TESSERA_BELOW(n)
///                    for steps from even generations
///   tessera_odd_program, TESSERA_ODD_ABOVE(n), TESSERA_ODD_BELOW(n)
///                    for steps from odd ones
std::string turns_header(GateProgram even, GateProgram odd);

/// Those of the above that a rule of range 1, or two in turns, has with the programs that are ready
/// (ready_program).
std::string ready_header(const BackendSpec& spec);

/// The text of "rule.cuh" for a rule of longer range, for the kernel sums:
///   TESSERA_BITS     the bits of a count, which includes the cell itself
///   TESSERA_PLANES   P, the planes of a cell's state
///   TESSERA_DOWN, TESSERA_RIGHT
///                    cells that enter a count from the cell above it, and on its left
///   TESSERA_GAIN_BITS
///                    those of the difference to the count above, with a sign
///   TESSERA_CORNERS  n, where that difference runs along the row: it gains TESSERA_PLUS_CORNERS
///                    and loses TESSERA_MINUS_CORNERS, n cells {dx, dy} each; or 0
///   TESSERA_LINES    where it does, 1 if the cells that enter and leave a count from that of the
///                    cell above are lines that a thread holds, from column TESSERA_LINE_X on and
///                    in rows TESSERA_ENTERS_Y and TESSERA_LEAVES_Y; TESSERA_AHEAD: 1 if it has
///                    the next ones loaded at the same time
///   TESSERA_LISTED_EDGES
///                    or else 1 if TESSERA_PLUS_EDGES and TESSERA_MINUS_EDGES are the cells
///                    that enter and leave a count from the cell above it
///   TESSERA_TABLE    1 where limits are so many that the host gives a table of counts
///   tessera_lives    otherwise: what lives, from the bits of the counts and the cells
///   tessera_states   if P > 1: as above
std::string range_header(const Rule& rule, const CountEdges& right, const CountEdges& down);

/// The text of "rule.cuh" for a rule of a file, for the kernel table:
///   kStates          how many states there are
///   kQuiet           whether an empty cell among others stays so
///   TESSERA_WALK(READ, FOLLOW)
///                    READ(dx, dy) for each cell that the graph reads, in its order, and FOLLOW()
///                    after each level
std::string table_header(const TransitionGraph& graph, bool quiet);

/// Whether what such a rule's counts gain runs along rows.
bool runs_along(const CountEdges& down);

/// Whether, besides, a thread holds the lines of cells that enter and leave.
bool has_lines(const CountEdges& down);

/// "-DTESSERA_BIRTH=8", "-DTESSERA_SURVIVAL=12", for kernels that count.
std::string birth_option(const Rule& rule);
std::string survival_option(const Rule& rule);

}  // namespace tessera::cuda
