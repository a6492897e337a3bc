// Writes the text that kernels are compiled with for a rule: rule_header RULE FILE.
#include <cstdio>
#include <fstream>

#include "backends/cuda/rule_source.h"
#include "core/base/error.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_tables.h"

int main(int argc, char** argv) {
  using namespace tessera;
  try {
    if (argc != 3) throw InputError("rule_header RULE FILE is accepted");
    const Rule rule = parse_rule(argv[1]);
    std::ofstream file(argv[2]);
    file << (rule.outer_totalistic() ? cuda::rule_header(rule)
                                     : cuda::program_header(state_program(
                                           rule, found_program(neighbourhood_table(rule)))));
    return file.flush() ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "rule_header: %s\n", error.what());
    return 2;
  }
}
