#include "backends/cuda/rule_source.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "backends/gpu/cell_lines.h"
#include "core/rules/found_programs.h"
#include "core/rules/range_gates.h"
#include "core/rules/rule_circuit.h"

namespace tessera::cuda {

namespace {

// Where the program finds its signals: rows are called a, b and c, outputs of gates g.
struct Name {
  char array;
  int index;
  std::string text() const { return std::string{array} + '[' + std::to_string(index) + ']'; }
};

Name name_of(const GateProgram& program, int signal) {
  constexpr std::array kRows = {'a', 'b', 'c'};
  if (signal >= program.first_gate()) return {'g', signal - program.first_gate()};
  // Cells come row by row, functions one by one for the three rows.
  const int row = signal < 9 ? signal / 3 : signal % 3;
  return {kRows[static_cast<std::size_t>(row)], signal < 9 ? signal % 3 : signal / 3};
}

std::string gate_text(int table, const std::array<std::string, 3>& in) {
  return "TESSERA_LUT3(" + std::to_string(table) + ", " + in[0] + ", " + in[1] + ", " + in[2] + ")";
}

std::string define(const char* name, int value) {
  return "#define " + std::string(name) + ' ' + std::to_string(value) + '\n';
}

std::string array_of(const char* name, int length) {
  return "TESSERA_WORD (&" + std::string(name) + ")[" + std::to_string(length) + "]";
}

// The gates that both kinds of programs consist of: their outputs g, from what `name` names.
template <class NameOf>
std::string gates_text(const std::vector<ProgramGate>& gates, const NameOf& name) {
  std::string text = "  TESSERA_WORD g[" + std::to_string(gates.size()) + "];\n";
  int n = 0;
  for (const ProgramGate& gate : gates) {
    text += "  g[" + std::to_string(n++) +
            "] = " + gate_text(gate.table, {name(gate.in[0]), name(gate.in[1]), name(gate.in[2])}) +
            ";\n";
  }
  return text;
}

std::string states_text(const StateProgram& program) {
  const auto name = [&](int signal) {
    return signal < program.planes    ? Name{'s', signal}.text()
           : signal == program.planes ? "lives"
                                      : Name{'g', signal - program.planes - 1}.text();
  };
  std::string text = "TESSERA_FN void tessera_states(const " + array_of("s", program.planes) +
                     ", TESSERA_WORD lives,\n    " + array_of("next", program.planes) + ") {\n";
  if (!program.gates.empty()) text += gates_text(program.gates, name);
  for (int p = 0; p < program.planes; p++) {
    text += "  next[" + std::to_string(p) +
            "] = " + name(program.next[static_cast<std::size_t>(p)]) + ";\n";
  }
  return text + "}\n";
}

std::string corners_text(const char* name, const std::vector<CellOffset>& corners) {
  std::string text;
  for (const CellOffset& each : corners) {
    text += (text.empty() ? "{" : ", {") + std::to_string(each.dx) + ", " +
            std::to_string(each.dy) + '}';
  }
  return "#define " + std::string(name) + " {" + text + "}\n";
}

std::string counted_text(const RangeGates& range) {
  const auto name = [&](int signal) {
    return signal < range.bits    ? Name{'n', signal}.text()
           : signal == range.bits ? "x"
                                  : Name{'g', signal - range.bits - 1}.text();
  };
  return "TESSERA_FN TESSERA_WORD tessera_lives(const " + array_of("n", range.bits) +
         ", TESSERA_WORD x) {\n" + gates_text(range.gates, name) + "  return g[" +
         std::to_string(range.gates.size() - 1) + "];\n}\n";
}

// What programs have in common, and the functions of a row, which are those of all of them.
std::string codes_text(const GateProgram& lives, int planes) {
  const int codes = static_cast<int>(lives.rows.size());
  std::string text = define("TESSERA_LIFE", 0) + define("TESSERA_PROGRAM", 1) +
                     define("TESSERA_PLANES", planes) + define("TESSERA_CODES", codes) +
                     "TESSERA_FN void tessera_codes(" + array_of("row", 3 + codes) + ") {\n";
  for (int i = 0; i < codes; i++) {
    text += "  row[" + std::to_string(3 + i) + "] = " +
            gate_text(lives.rows[static_cast<std::size_t>(i)], {"row[0]", "row[1]", "row[2]"}) +
            ";\n";
  }
  return text + "}\n";
}

// A program as the function `name`, and what it reads of other rows as macros that begin so.
std::string lives_text(const GateProgram& lives, const std::string& name,
                       const std::string& macros) {
  const int signals = 3 + static_cast<int>(lives.rows.size());
  std::array<std::uint64_t, 2> above{}, below{};
  for (const ProgramGate& gate : lives.gates) {
    for (const std::uint16_t in : gate.in) {
      const Name read = name_of(lives, in);
      const auto word = static_cast<std::size_t>(read.index / 64);
      if (read.array == 'a') above[word] |= std::uint64_t{1} << read.index % 64;
      if (read.array == 'c') below[word] |= std::uint64_t{1} << read.index % 64;
    }
  }
  const auto mask = [&](const char* end, const std::array<std::uint64_t, 2>& bits) {
    return "#define " + macros + end + "(n) TESSERA_BIT(n, " + std::to_string(bits[0]) + "ull, " +
           std::to_string(bits[1]) + "ull)\n";
  };
  return mask("_ABOVE", above) + mask("_BELOW", below) + "TESSERA_FN TESSERA_WORD " + name +
         "(const " + array_of("a", signals) + ",\n    const " + array_of("b", signals) +
         ", const " + array_of("c", signals) + ") {\n" +
         gates_text(lives.gates, [&](int signal) { return name_of(lives, signal).text(); }) +
         "  return g[" + std::to_string(lives.gates.size() - 1) + "];\n}\n";
}

}  // namespace

std::string table_header(const TransitionGraph& graph, bool quiet) {
  std::string text =
      "namespace tessera::cuda {\nconstexpr u32 kStates = " + std::to_string(graph.states()) +
      ";\nconstexpr bool kQuiet = " + (quiet ? "true" : "false") +
      ";\n}\n#define TESSERA_WALK(READ, FOLLOW)";
  for (const TransitionGraph::Level& level : graph.levels()) {
    for (std::size_t i = level.first; i < level.first + level.count; i++) {
      const auto [dx, dy] = graph.cells()[i];
      text += " READ(" + std::to_string(dx) + ", " + std::to_string(dy) + ")";
    }
    text += " FOLLOW()";
  }
  return text + "\n";
}

bool runs_along(const CountEdges& down) { return few_corners(down.corners, down.cells); }

bool has_lines(const CountEdges& down) {
  return runs_along(down) && gpu::holds_lines(down.cells, {1, 0});
}

std::string range_header(const Rule& rule, const CountEdges& right, const CountEdges& down) {
  const int bits = count_bits(*rule.range);
  const auto number = [](const std::vector<CellOffset>& cells) {
    return static_cast<int>(cells.size());
  };
  const int gain = std::bit_width(static_cast<unsigned>(number(down.cells.plus))) + 1;
  const bool runs = runs_along(down), table = takes_table(*rule.range);
  const StateProgram states = state_program(rule, {});
  std::string text = define("TESSERA_BITS", bits) + define("TESSERA_PLANES", states.planes) +
                     define("TESSERA_DOWN", number(down.cells.plus)) +
                     define("TESSERA_RIGHT", number(right.cells.plus)) +
                     define("TESSERA_GAIN_BITS", std::min(gain, bits)) +
                     define("TESSERA_CORNERS", runs ? number(down.corners.plus) : 0) +
                     define("TESSERA_TABLE", table ? 1 : 0);
  if (runs) {
    text += corners_text("TESSERA_PLUS_CORNERS", down.corners.plus) +
            corners_text("TESSERA_MINUS_CORNERS", down.corners.minus);
    const bool lines = has_lines(down);
    text += define("TESSERA_LINES", lines ? 1 : 0);
    if (lines) {
      text += define("TESSERA_LINE_X", down.cells.plus[0].dx) +
              define("TESSERA_ENTERS_Y", down.cells.plus[0].dy) +
              define("TESSERA_LEAVES_Y", down.cells.minus[0].dy) +
              define("TESSERA_AHEAD", down.cells.plus.size() <= gpu::kMostAhead ? 1 : 0);
    }
    // Where they are few, their code has them one by one, too.
    constexpr std::size_t kMostEdges = 48;
    const bool few = !lines && down.cells.plus.size() <= kMostEdges;
    text += define("TESSERA_LISTED_EDGES", few ? 1 : 0);
    if (few) {
      text += corners_text("TESSERA_PLUS_EDGES", down.cells.plus) +
              corners_text("TESSERA_MINUS_EDGES", down.cells.minus);
    }
    // And so the cells that the first row counts.
    constexpr std::size_t kMostCells = 256, kMostRight = 24;
    const std::vector<CellOffset> all = counted_cells(*rule.range);
    const bool listed = all.size() <= kMostCells && right.cells.plus.size() <= kMostRight;
    text += define("TESSERA_LISTED_CELLS", listed ? 1 : 0);
    if (listed) {
      text += corners_text("TESSERA_ALL_CELLS", all) +
              corners_text("TESSERA_PLUS_RIGHT", right.cells.plus) +
              corners_text("TESSERA_MINUS_RIGHT", right.cells.minus);
    }
  }
  if (!table) text += counted_text(range_gates(*rule.range));
  return states.planes > 1 ? text + states_text(states) : text;
}

std::string program_header(const StateProgram& program) {
  const std::string text = codes_text(program.lives, program.planes) +
                           lives_text(program.lives, "tessera_program", "TESSERA");
  return program.planes > 1 ? text + states_text(program) : text;
}

std::string turns_header(GateProgram even, GateProgram odd) {
  share_rows(even, odd);
  return define("TESSERA_TURNS", 2) + codes_text(even, 1) +
         lives_text(even, "tessera_program", "TESSERA") +
         lives_text(odd, "tessera_odd_program", "TESSERA_ODD");
}

std::string ready_header(const BackendSpec& spec) {
  if (has_one_circuit(spec)) return rule_header(spec.rule);
  const GateProgram even = ready_program(spec.rule);
  if (spec.odd_rule) return turns_header(even, ready_program(*spec.odd_rule));
  return program_header(state_program(spec.rule, even));
}

std::string rule_header(const Rule& rule) {
  if (rule == kLife) return "#define TESSERA_LIFE 1\n";
  const RuleCircuit circuit = find_rule_circuit(rule);
  bool read[kRuleSignals] = {};
  std::string tail;
  int signal = kRuleSignals;
  for (const RuleGate& gate : circuit.gates) {
    for (const int input : {gate.a, gate.b, gate.c}) {
      if (input < kRuleSignals) read[input] = true;
    }
    tail += "  const TESSERA_WORD s" + std::to_string(signal++) + " = TESSERA_LUT3(" +
            std::to_string(gate.table) + ", s" + std::to_string(gate.a) + ", s" +
            std::to_string(gate.b) + ", s" + std::to_string(gate.c) + ");\n";
  }
  // A parity comes from a sum only where its majority is computed anyway.
  return "#define TESSERA_LIFE 0\n#define TESSERA_SUM_T0 " + std::to_string(read[0] && read[1]) +
         "\n#define TESSERA_SUM_U0 " + std::to_string(read[2] && read[3]) +
         "\nTESSERA_FN TESSERA_WORD tessera_tail(TESSERA_WORD s0, TESSERA_WORD s1, TESSERA_WORD "
         "s2,\n"
         "                                     TESSERA_WORD s3, TESSERA_WORD s4) {\n" +
         tail + "  return s" + std::to_string(signal - 1) + ";\n}\n";
}

std::string birth_option(const Rule& rule) {
  return "-DTESSERA_BIRTH=" + std::to_string(rule.birth);
}
std::string survival_option(const Rule& rule) {
  return "-DTESSERA_SURVIVAL=" + std::to_string(rule.survival);
}

}  // namespace tessera::cuda
