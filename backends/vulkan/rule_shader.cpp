#include "backends/vulkan/rule_shader.h"

#include <vector>

#include "backends/vulkan/program_module.h"
#include "backends/vulkan/shaders.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_tables.h"
#include "core/stepping/backend_spec.h"

namespace tessera::vulkan {

RuleShader rule_shader(Pipelines& pipelines, const BackendSpec& spec, const KernelShaders& shaders,
                       Specialization& values) {
  // A module's name says which program of each rule it has.
  RuleShader out{shaders.counting};
  if (has_one_circuit(spec)) return out;
  std::vector<Rule> rules{spec.rule};
  if (spec.odd_rule) rules.push_back(*spec.odd_rule);
  std::vector<GateProgram> lives;
  for (const Rule& rule : rules) {
    const bool known = known_program(neighbourhood_table(rule)).has_value();
    out.shortest = out.shortest && known;
    out.name += (known ? " short " : " ") + to_string(rule);
    lives.push_back(ready_program(rule));
  }
  const bool turns = lives.size() > 1;
  const RowReads reads = turns ? turns_reads(lives[0], lives[1]) : reads_of(lives[0]);
  values[TESSERA_SPEC_ABOVE] = reads.above;
  values[TESSERA_SPEC_BELOW] = reads.below;
  values[TESSERA_SPEC_TURNS] = turns ? 1 : 0;
  if (turns) {
    pipelines.add(out.name, turns_module(spirv(shaders.program), lives[0], lives[1]));
  } else {
    const StateProgram program = state_program(spec.rule, lives[0]);
    const std::string& empty = program.planes > 1 ? shaders.states : shaders.program;
    pipelines.add(out.name, program_module(spirv(empty), program));
  }
  return out;
}

}  // namespace tessera::vulkan
