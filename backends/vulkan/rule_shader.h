#pragma once

#include <string>

#include "backends/vulkan/pipelines.h"
#include "core/stepping/step_backend.h"

namespace tessera::vulkan {

/// A kernel's shaders by name: for rules that count neighbours, and without a rule for those that
/// are programs of one bit plane, and of several (shaders/program.glsl).
struct KernelShaders {
  std::string counting, program, states;
};

/// The name by which `pipelines` know the shader that steps a rule.
struct RuleShader {
  std::string name;
  bool shortest = true;  ///< no search for a shorter program is to come
};

/// That of the rule of range 1 of `spec`, or of its two in turns: `counting`, or one that is added
/// with the programs that are ready (ready_program). Sets the specialization constants that say
/// what those read.
RuleShader rule_shader(Pipelines& pipelines, const BackendSpec& spec, const KernelShaders& shaders,
                       Specialization& values);

}  // namespace tessera::vulkan
