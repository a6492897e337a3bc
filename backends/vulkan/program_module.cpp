#include "backends/vulkan/program_module.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "backends/vulkan/params.h"
#include "backends/vulkan/spelled_gate.h"
#include "core/rules/range_gates.h"

namespace tessera::vulkan {

namespace {

// Instructions of SPIR-V, by their numbers in its specification.
enum Op : std::uint32_t {
  kName = 5,
  kFunction = 54,
  kParameter = 55,
  kFunctionEnd = 56,
  kCall = 57,
  kConstruct = 80,
  kExtract = 81,
  kOr = 197,
  kXor = 198,
  kAnd = 199,
  kNot = 200,
  kLabel = 248,
  kReturnValue = 254,
};
constexpr std::size_t kHeader = 5, kBound = 3;  // words before the first instruction; one of them

// A function of the module: where its instructions behind the label begin and end, and identifiers.
struct Function {
  std::size_t body = 0, end = 0;  // `end` is that of OpFunctionEnd
  std::uint32_t returns = 0, id = 0;
  std::vector<std::uint32_t> parameters{}, types{};
};

Function find_function(std::span<const std::uint32_t> words, std::string_view name,
                       std::size_t parameters) {
  std::optional<std::uint32_t> id;
  bool inside = false;
  Function found;
  for (std::size_t at = kHeader; at < words.size();) {
    const std::uint32_t op = words[at] & 0xFFFF;
    const std::size_t length = words[at] >> 16;
    if (length == 0 || at + length > words.size()) break;
    if (op == kName) {
      // The compiler writes the types of parameters behind a function's name.
      std::string text;
      for (std::size_t n = 0; n < 4 * (length - 2); n++)
        text += static_cast<char>(words[at + 2 + n / 4] >> n % 4 * 8 & 0xFF);
      if (text.starts_with(std::string(name) + "(")) id = words[at + 1];
    }
    if (op == kFunction && id && words[at + 2] == *id) {
      inside = true;
      found.id = *id;
      found.returns = words[at + 1];
    }
    if (inside && op == kParameter) {
      found.types.push_back(words[at + 1]);
      found.parameters.push_back(words[at + 2]);
    }
    at += length;
    if (inside && op == kLabel) found.body = at;
    if (inside && op == kFunctionEnd) {
      found.end = at - length;
      if (found.body != 0 && found.parameters.size() == parameters) return found;
      break;
    }
  }
  throw std::logic_error("the shader has no function " + std::string(name));
}

// Instructions that are appended one by one.
class Writer {
 public:
  Writer(std::uint32_t bound, std::uint32_t word_type) : bound_(bound), word_type_(word_type) {}

  void add(Op op, const std::vector<std::uint32_t>& operands) {
    words_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | op);
    words_.insert(words_.end(), operands.begin(), operands.end());
  }
  // The result of an instruction that makes a word.
  std::uint32_t word(Op op, std::vector<std::uint32_t> operands) {
    const std::uint32_t id = new_id();
    operands.insert(operands.begin(), {word_type_, id});
    add(op, operands);
    return id;
  }
  std::uint32_t new_id() { return bound_++; }
  std::uint32_t bound() const { return bound_; }
  const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  std::uint32_t bound_, word_type_;
  std::vector<std::uint32_t> words_{};
};

// shaders/gate.inl with words whose operators write instructions.
namespace written {

struct Word {
  std::uint32_t id = 0;  // or a plain number, of a function
  Writer* out = nullptr;

  Word(std::uint32_t number) : id(number) {}  // NOLINT(google-explicit-constructor)
  Word(std::uint32_t result, Writer* writer) : id(result), out(writer) {}
  bool operator==(std::uint32_t number) const { return id == number; }
  Word operator&(const Word& b) const { return {out->word(kAnd, {id, b.id}), out}; }
  Word operator|(const Word& b) const { return {out->word(kOr, {id, b.id}), out}; }
  Word operator^(const Word& b) const { return {out->word(kXor, {id, b.id}), out}; }
  Word operator~() const { return {out->word(kNot, {id}), out}; }
};
using uint = Word;
#include "shaders/gate.inl"

}  // namespace written

std::uint32_t write_gate(Writer& out, std::uint8_t table, const std::array<std::uint32_t, 3>& in) {
  using written::Word;
  const Spelling spelling = spelling_of(table);
  std::array<std::uint32_t, 3> inputs{};
  for (std::size_t i = 0; i < 3; i++) {
    inputs[i] = in[spelling.order[i]];
    if (spelling.complements[i]) inputs[i] = out.word(kNot, {inputs[i]});
  }
  Word value =
      written::gate_shape(spelling.shape, {inputs[0], &out}, {inputs[1], &out}, {inputs[2], &out});
  // The function that is never true has no inputs.
  if (value.out == nullptr) value = Word(inputs[0], &out) ^ Word(inputs[0], &out);
  return spelling.complemented ? (~value).id : value.id;
}

// Gates that a multiplier may do: an exclusive or of three, where the majority of the same is
// there.
constexpr std::uint8_t kParity = 0x96, kMajority = 0xE8;

std::uint32_t write_parity(Writer& out, const Function& parity,
                           const std::array<std::uint32_t, 3>& in, std::uint32_t majority) {
  return out.word(kCall, {parity.id, in[0], in[1], in[2], majority});
}

// The functions of a row from its three words.
void write_row(Writer& out, const Function& function, const Function& parity,
               const GateProgram& program) {
  const std::array<std::uint32_t, 3> in{function.parameters[0], function.parameters[1],
                                        function.parameters[2]};
  std::vector<std::uint32_t> row = function.parameters;
  row.resize(3 + TESSERA_ROW_FUNCTIONS, in[0]);
  const std::size_t count = std::min<std::size_t>(program.rows.size(), TESSERA_ROW_FUNCTIONS);
  std::optional<std::uint32_t> majority;
  for (std::size_t i = 0; i < count; i++) {
    if (program.rows[i] == kParity) continue;
    row[3 + i] = write_gate(out, program.rows[i], in);
    if (program.rows[i] == kMajority) majority = row[3 + i];
  }
  for (std::size_t i = 0; i < count; i++) {
    if (program.rows[i] != kParity) continue;
    row[3 + i] = majority ? write_parity(out, parity, in, *majority) : write_gate(out, kParity, in);
  }
  const std::uint32_t all = out.new_id();
  row.insert(row.begin(), {function.returns, all});
  out.add(kConstruct, row);
  out.add(kReturnValue, {all});
}

// Where a signal of a program is: of row 0 to 2 which of its signals, or in row 3 which gate.
struct Place {
  std::size_t row, index;
  auto operator<=>(const Place&) const = default;
};

Place place_of(const GateProgram& program, std::size_t signal) {
  const auto first = static_cast<std::size_t>(program.first_gate());
  if (signal < 9) return {signal / 3, signal % 3};
  if (signal < first) return {signal % 3, 3 + (signal - 9) / 3};
  return {3, signal - first};
}

// The gate that is the majority of what gate `g` is the exclusive or of: from the same three
// signals, or from two of them and what `g` makes.
std::optional<std::size_t> majority_of(const GateProgram& program, std::size_t g) {
  const ProgramGate& gate = program.gates[g];
  if (gate.table != kParity) return {};
  const auto made = static_cast<std::uint16_t>(program.first_gate() + static_cast<int>(g));
  // For the eight values of its inputs, the values of each of them and of its output.
  const std::array<std::uint16_t, 4> signals{gate.in[0], gate.in[1], gate.in[2], made};
  constexpr std::array<std::uint8_t, 4> kValues{0xF0, 0xCC, 0xAA, kParity};
  for (std::size_t h = 0; h < program.gates.size(); h++) {
    std::uint8_t value = 0;
    bool fits = h != g;
    for (int pattern = 0; pattern < 8 && fits; pattern++) {
      int input = 0;
      for (const std::uint16_t in : program.gates[h].in) {
        const auto at = std::ranges::find(signals, in);
        fits = at != signals.end();
        if (!fits) break;
        input =
            2 * input + (kValues[static_cast<std::size_t>(at - signals.begin())] >> pattern & 1);
      }
      if (fits)
        value |= static_cast<std::uint8_t>((program.gates[h].table >> input & 1) << pattern);
    }
    if (fits && value == kMajority) return h;
  }
  return {};
}

void write_program(Writer& out, const Function& function, const Function& parity,
                   const GateProgram& program) {
  std::map<Place, std::uint32_t> known;
  const auto read = [&](const Place& place, const auto& self) -> std::uint32_t {
    const auto found = known.find(place);
    if (found != known.end()) return found->second;
    const std::size_t function_of_row = place.index - 3;
    const std::uint32_t id =
        place.index < 3 + TESSERA_ROW_FUNCTIONS
            ? out.word(kExtract,
                       {function.parameters[place.row], static_cast<std::uint32_t>(place.index)})
            : write_gate(out, program.rows[function_of_row],
                         {self(Place{place.row, 0}, self), self(Place{place.row, 1}, self),
                          self(Place{place.row, 2}, self)});
    return known[place] = id;
  };
  const auto write = [&](std::size_t g) -> std::uint32_t {
    const Place place{3, g};
    if (known.contains(place)) return known[place];  // was needed before its turn
    std::array<std::uint32_t, 3> in{};
    for (std::size_t i = 0; i < 3; i++)
      in[i] = read(place_of(program, program.gates[g].in[i]), read);
    const std::optional<std::size_t> majority = majority_of(program, g);
    if (!majority) return known[place] = write_gate(out, program.gates[g].table, in);
    if (!known.contains({3, *majority})) known[{3, *majority}] = write_gate(out, kMajority, in);
    return known[place] = write_parity(out, parity, in, known[{3, *majority}]);
  };
  std::uint32_t last = 0;
  for (std::size_t g = 0; g < program.gates.size(); g++) last = write(g);
  out.add(kReturnValue, {last});
}

// Gates whose inputs are `signals`, to which their outputs are added.
void write_gates(Writer& out, const std::vector<ProgramGate>& gates,
                 std::vector<std::uint32_t>& signals) {
  for (const ProgramGate& gate : gates)
    signals.push_back(write_gate(out, gate.table,
                                 {signals[gate.in[0]], signals[gate.in[1]], signals[gate.in[2]]}));
}

// The bit planes of a word of cells from those before and what the neighbourhood says.
void write_states(Writer& out, const Function& function, const StateProgram& program) {
  std::vector<std::uint32_t> signals;
  for (int p = 0; p < program.planes; p++)
    signals.push_back(out.word(kExtract, {function.parameters[0], static_cast<std::uint32_t>(p)}));
  signals.push_back(function.parameters[1]);
  write_gates(out, program.gates, signals);
  const std::uint32_t all = out.new_id();
  std::vector<std::uint32_t> made{function.returns, all};
  for (const std::uint16_t signal : program.next) made.push_back(signals[signal]);
  made.resize(2 + TESSERA_MOST_BIT_PLANES, signals.front());  // those that the rule has not
  out.add(kConstruct, made);
  out.add(kReturnValue, {all});
}

// Whether a cell is in state 1 from the bits of its count.
void write_counted(Writer& out, const Function& function, const RangeGates& gates) {
  std::vector<std::uint32_t> signals;
  for (int bit = 0; bit < gates.bits; bit++) {
    signals.push_back(
        out.word(kExtract, {function.parameters[0], static_cast<std::uint32_t>(bit)}));
  }
  signals.push_back(function.parameters[1]);
  write_gates(out, gates.gates, signals);
  out.add(kReturnValue, {signals.back()});
}

// A function whose body is replaced.
struct Part {
  Function function;
  std::function<void(Writer&, const Function&)> write;
};

// Those of a program, which is referred to.
std::vector<Part> parts_of(std::span<const std::uint32_t> shader, const GateProgram& program) {
  const Function parity = find_function(shader, "program_parity", 4);
  return {{find_function(shader, "row_signals", 3),
           [&, parity](Writer& out, const Function& in) { write_row(out, in, parity, program); }},
          {find_function(shader, "program_of", 3), [&, parity](Writer& out, const Function& in) {
             write_program(out, in, parity, program);
           }}};
}

std::vector<std::uint32_t> with_parts(std::span<const std::uint32_t> shader,
                                      std::vector<Part> parts) {
  if (parts.empty()) return {shader.begin(), shader.end()};
  const std::uint32_t word_type = parts.front().function.types.back();
  // The last one first, so that the others stay where they are.
  std::ranges::sort(parts, std::greater{}, [](const Part& part) { return part.function.body; });
  std::vector<std::uint32_t> out(shader.begin(), shader.end());
  std::uint32_t bound = shader[kBound];
  for (const auto& [function, write] : parts) {
    Writer body(bound, word_type);
    write(body, function);
    bound = body.bound();
    const auto at = [&](std::size_t n) { return out.begin() + static_cast<std::ptrdiff_t>(n); };
    out.erase(at(function.body), at(function.end));
    out.insert(at(function.body), body.words().begin(), body.words().end());
  }
  out[kBound] = bound;
  return out;
}

}  // namespace

RowReads reads_of(const GateProgram& program) {
  RowReads reads;
  for (const ProgramGate& gate : program.gates) {
    for (const std::uint16_t in : gate.in) {
      const Place place = place_of(program, in);
      // What is no signal of row_signals is made of its three words.
      const std::uint32_t bits = place.index < 3 + TESSERA_ROW_FUNCTIONS ? 1u << place.index : 7u;
      if (place.row == 0) reads.above |= bits;
      if (place.row == 2) reads.below |= bits;
    }
  }
  return reads;
}

RowReads turns_reads(GateProgram even, GateProgram odd) {
  share_rows(even, odd);
  const RowReads a = reads_of(even), b = reads_of(odd);
  return {a.above | b.above, a.below | b.below};
}

std::vector<std::uint32_t> program_module(std::span<const std::uint32_t> shader,
                                          const StateProgram& program) {
  std::vector<Part> parts = parts_of(shader, program.lives);
  if (program.planes > 1) {
    parts.push_back({find_function(shader, "next_states", 2),
                     [&](Writer& out, const Function& in) { write_states(out, in, program); }});
  }
  return with_parts(shader, std::move(parts));
}

std::vector<std::uint32_t> range_module(std::span<const std::uint32_t> shader, const Rule& rule) {
  const RangeGates gates = takes_table(*rule.range) ? RangeGates{} : range_gates(*rule.range);
  const StateProgram program = state_program(rule, {});
  std::vector<Part> parts;
  if (!gates.gates.empty()) {
    parts.push_back({find_function(shader, "lives_of", 2),
                     [&](Writer& out, const Function& in) { write_counted(out, in, gates); }});
  }
  if (program.planes > 1) {
    parts.push_back({find_function(shader, "next_states", 2),
                     [&](Writer& out, const Function& in) { write_states(out, in, program); }});
  }
  return with_parts(shader, std::move(parts));
}

std::vector<std::uint32_t> turns_module(std::span<const std::uint32_t> shader, GateProgram even,
                                        GateProgram odd) {
  share_rows(even, odd);
  std::vector<Part> parts = parts_of(shader, even);
  const Function parity = find_function(shader, "program_parity", 4);
  parts.push_back({find_function(shader, "odd_program_of", 3),
                   [&](Writer& out, const Function& in) { write_program(out, in, parity, odd); }});
  return with_parts(shader, std::move(parts));
}

}  // namespace tessera::vulkan
