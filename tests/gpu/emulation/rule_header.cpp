// Writes the text that kernels are compiled with for a rule, or two in turns: rule_header RULE
// FILE.
#include <cstdio>
#include <fstream>

#include "backends/cuda/rule_source.h"
#include "core/base/error.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_spec.h"
#include "core/rules/rule_tables.h"

int main(int argc, char** argv) {
  using namespace tessera;
  try {
    if (argc != 3) throw InputError("rule_header RULE FILE is accepted");
    const RuleSpec spec = parse_rule_spec(argv[1]);
    const auto program = [](const Rule& rule) { return found_program(neighbourhood_table(rule)); };
    std::ofstream file(argv[2]);
    if (spec.odd_rule) {
      file << cuda::turns_header(program(spec.rule), program(*spec.odd_rule));
    } else {
      file << (spec.rule.outer_totalistic()
                   ? cuda::rule_header(spec.rule)
                   : cuda::program_header(state_program(spec.rule, program(spec.rule))));
    }
    return file.flush() ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "rule_header: %s\n", error.what());
    return 2;
  }
}
