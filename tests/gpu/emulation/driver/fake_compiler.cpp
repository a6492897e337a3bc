// The compiler: NVRTC's calls.
#include <nvrtc.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "fake_module.h"
#include "grid_copies.h"

namespace {

struct Program {
  std::string file, rule, layout, options, log, machine_code;
};

// The one rule that is a program.
bool is_rule_of_states(const std::string& header) {
  std::ifstream file(FAKE_RULE_OF_STATES);
  return header == std::string(std::istreambuf_iterator<char>(file), {});
}

std::string image_of(nvrtcProgram program) {
  const auto* of = reinterpret_cast<const Program*>(program);
  if (!of->machine_code.empty()) {
    return std::string(fake::kCompiled) + "\n" + std::to_string(of->machine_code.size()) + "\n" +
           of->machine_code;
  }
  return of->file + "\n" + of->options + "\n" + of->rule;
}

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Life alone has copies of march.
bool is_of_march(const Program& program) {
  return program.file == "march.cu" || program.file == "relay.cu";
}
bool is_life(const std::string& header) {
  return header.find("#define TESSERA_LIFE 1") != std::string::npos;
}

// Whether it is compiled indeed.
bool is_compiled(const Program& program) {
  if (program.file == "tiles.cu") return fake::is_program(program.rule);
  const auto lies_as = [&](const char* layout) {
    return program.layout.find(layout) != std::string::npos;
  };
  const bool services =
      lies_as("layout_sums.cuh") || lies_as("layout_packed.cuh") || lies_as("layout_march.cuh");
  return program.file == "sums.cu" || program.file == "table.cu" || services;
}

// False where the compiler of the host refuses it.
bool compile_on_host(Program& program) {
  std::string name = (std::filesystem::temp_directory_path() / "tessera-fake-XXXXXX").string();
  if (!::mkdtemp(name.data())) return false;
  const std::filesystem::path folder = name;
  std::ofstream(folder / "rule.cuh") << program.rule;
  std::ofstream(folder / "layout.cuh") << program.layout;
  std::string command = FAKE_COMPILER
                        " -std=c++20 -O1 -w -shared -fPIC -fvisibility=hidden -fno-gnu-unique -I" +
                        name;
  if (const char* kernels = std::getenv("FAKE_CUDA_KERNELS"))
    command += std::string(" -I") + kernels;
  command += std::string(" ") + FAKE_INCLUDES;
  std::istringstream options(program.options);
  for (std::string option; std::getline(options, option);)
    if (option.starts_with("-D")) command += " '" + option + "'";
  command += std::string(" -DTESSERA_SERVICES=") + (program.file == "services.cu" ? "1" : "0");
  command += std::string(" -DTESSERA_TILES=") + (program.file == "tiles.cu" ? "1 " : "0 ");
  command += std::string(" -DTESSERA_FILES=") + (program.file == "table.cu" ? "1 " : "0 ");
  command += std::string(FAKE_KERNELS) + " -o " + name + "/code.so >" + name + "/log 2>&1";
  const bool made = std::system(command.c_str()) == 0;
  program.machine_code = made ? contents_of(folder / "code.so") : "";
  program.log = contents_of(folder / "log");
  std::filesystem::remove_all(folder);
  return made;
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) { return *major = 13, *minor = 0, NVRTC_SUCCESS; }
const char* nvrtcGetErrorString(nvrtcResult) { return "an error"; }
nvrtcResult nvrtcGetNumSupportedArchs(int* count) { return *count = 1, NVRTC_SUCCESS; }
nvrtcResult nvrtcGetSupportedArchs(int* archs) { return *archs = 90, NVRTC_SUCCESS; }
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char*, const char* file, int count,
                               const char* const* texts, const char* const* names) {
  auto* made = new Program;
  made->file = file;
  for (int i = 0; i < count; i++) {
    if (std::string(names[i]) == "rule.cuh") made->rule = texts[i];
    if (std::string(names[i]) == "layout.cuh") made->layout = texts[i];
  }
  *program = reinterpret_cast<nvrtcProgram>(made);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  return delete reinterpret_cast<Program*>(*program), NVRTC_SUCCESS;
}
// Fails where there is no copy of the kernel, as of one whose text is wrong.
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  auto* of = reinterpret_cast<Program*>(program);
  for (int i = 0; i < count; i++) of->options += options[i] + std::string("\n");
  std::istringstream lines(of->options);
  if (is_compiled(*of)) return compile_on_host(*of) ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
  // Its own copies carry out the ends of circuits, and one program.
  const bool program_of_gates = fake::is_program(of->rule);
  const bool known =
      is_of_march(*of) ? is_life(of->rule) : !program_of_gates || is_rule_of_states(of->rule);
  if (known && (of->file == "tiles.cu" ||
                fake::run_of_grid(of->file, fake::read_options(lines), program_of_gates)))
    return NVRTC_SUCCESS;
  of->log = "the emulation has no copy of " + of->file + " of this shape or kind of rule:\n" +
            of->options;
  return NVRTC_ERROR_COMPILATION;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  return *size = reinterpret_cast<Program*>(program)->log.size() + 1, NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  const std::string& text = reinterpret_cast<Program*>(program)->log;
  return std::memcpy(log, text.c_str(), text.size() + 1), NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  return *size = image_of(program).size() + 1, NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* image) {
  const std::string text = image_of(program);
  return std::memcpy(image, text.c_str(), text.size() + 1), NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram, std::size_t*) { return NVRTC_ERROR_INVALID_INPUT; }
nvrtcResult nvrtcGetPTX(nvrtcProgram, char*) { return NVRTC_ERROR_INVALID_INPUT; }

}  // extern "C"
