// Modules: what the pretended compiler made of a kernel, loaded.
#include "fake_module.h"

#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fake {

std::map<std::string, int> read_options(std::istream& lines) {
  std::map<std::string, int> out;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos)
      out[line.substr(0, equals)] = std::atoi(line.c_str() + equals + 1);
  }
  return out;
}

bool is_program(const std::string& header) {
  return header.find("#define TESSERA_PROGRAM 1") != std::string::npos;
}

namespace {

// Machine code as a library of this process; null where it cannot be loaded.
void* load_code(std::istream& image) {
  std::string length;
  std::getline(image, length);
  std::string name = (std::filesystem::temp_directory_path() / "tessera-fake-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) return nullptr;
  std::string code(static_cast<std::size_t>(std::atoll(length.c_str())), 0);
  image.read(code.data(), static_cast<std::streamsize>(code.size()));
  std::ofstream(name, std::ios::binary) << code;
  void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  ::close(file);
  ::unlink(name.c_str());
  return library;
}

// The gates of rule.cuh.
Rule read_rule(const std::string& text) {
  Rule out;
  const std::string word = "TESSERA_LUT3(";
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
    Gate gate{};
    if (std::sscanf(text.c_str() + at + word.size(), "%d, s%d, s%d, s%d", &gate.table, &gate.a,
                    &gate.b, &gate.c) != 4) {
      std::abort();
    }
    out.gates.push_back(gate);
  }
  return out;
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  auto* made = new Module;
  *module = reinterpret_cast<CUmodule>(made);
  const auto* const bytes = static_cast<const char*>(image);
  const std::string compiled = std::string(kCompiled) + "\n";
  if (std::strncmp(bytes, compiled.c_str(), compiled.size()) == 0) {
    const char* const length = bytes + compiled.size();
    const std::size_t head = std::strchr(length, '\n') + 1 - length;
    std::istringstream code(std::string(length, head + std::atoll(length)));
    made->library = load_code(code);
    return made->library ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
  }
  std::istringstream text(bytes);
  std::getline(text, made->file);
  made->options = read_options(text);
  made->states = is_program(static_cast<const char*>(image));
  if (!made->states) made->rule = read_rule(static_cast<const char*>(image));
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  auto* const of = reinterpret_cast<Module*>(module);
  if (of->library) ::dlclose(of->library);
  return delete of, CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  auto* of = reinterpret_cast<Module*>(module);
  Function& found = of->functions[name];
  found = {name, &of->rule, of};
  *function = reinterpret_cast<CUfunction>(&found);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  return *value = 0, CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }

}  // extern "C"

}  // namespace fake
