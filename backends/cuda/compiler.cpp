#include "backends/cuda/compiler.h"

#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <memory>

#include "backends/cuda/embedded_sources.h"
#include "backends/cuda/toolkit_library.h"
#include "core/base/error.h"

namespace tessera::cuda {

namespace {

#define TESSERA_NVRTC_CALLS(X) \
  X(nvrtcVersion)              \
  X(nvrtcGetErrorString)       \
  X(nvrtcGetNumSupportedArchs) \
  X(nvrtcGetSupportedArchs)    \
  X(nvrtcCreateProgram)        \
  X(nvrtcDestroyProgram)       \
  X(nvrtcCompileProgram)       \
  X(nvrtcGetProgramLogSize)    \
  X(nvrtcGetProgramLog)        \
  X(nvrtcGetCUBINSize)         \
  X(nvrtcGetCUBIN)             \
  X(nvrtcGetPTXSize)           \
  X(nvrtcGetPTX)

struct Nvrtc {
#define TESSERA_DECLARE(call) decltype(&::call) call = nullptr;
  TESSERA_NVRTC_CALLS(TESSERA_DECLARE)
#undef TESSERA_DECLARE
  std::string missing;
  int major = 0, minor = 0;
  std::vector<int> archs;
};

Nvrtc load() {
  Nvrtc nvrtc;
  constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::string unused;
  void* handle = open_toolkit_library(kNames, unused);
  if (!handle) {
    nvrtc.missing =
        "the CUDA compiler library NVRTC (libnvrtc.so.13 or .12) was not found: install it or set "
        "CUDA_PATH to the "
        "toolkit's folder";
    return nvrtc;
  }
#define TESSERA_LOAD(call)                                                   \
  nvrtc.call = reinterpret_cast<decltype(nvrtc.call)>(dlsym(handle, #call)); \
  if (!nvrtc.call && nvrtc.missing.empty()) nvrtc.missing = "NVRTC is too old: it has no " #call;
  TESSERA_NVRTC_CALLS(TESSERA_LOAD)
#undef TESSERA_LOAD
  if (!nvrtc.missing.empty()) return nvrtc;
  int count = 0;
  if (nvrtc.nvrtcVersion(&nvrtc.major, &nvrtc.minor) != NVRTC_SUCCESS ||
      nvrtc.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS) {
    nvrtc.missing = "NVRTC does not answer";
    return nvrtc;
  }
  nvrtc.archs.resize(static_cast<std::size_t>(count));
  if (nvrtc.nvrtcGetSupportedArchs(nvrtc.archs.data()) != NVRTC_SUCCESS)
    nvrtc.missing = "NVRTC does not answer";
  return nvrtc;
}

const Nvrtc& nvrtc() {
  static const Nvrtc kNvrtc = load();
  return kNvrtc;
}

void check(nvrtcResult status, const char* call, const std::string& doing) {
  if (status == NVRTC_SUCCESS) return;
  throw DeviceError(std::string("CUDA: ") + call + " failed with " +
                    nvrtc().nvrtcGetErrorString(status) + " while " + doing);
}

bool knows(int major, int minor) {
  return std::find(nvrtc().archs.begin(), nvrtc().archs.end(), 10 * major + minor) !=
         nvrtc().archs.end();
}

// Machine code where the compiler knows the device, otherwise PTX of the newest architecture it
// knows below it, which the driver translates.
std::string architecture(int major, int minor) {
  const int wanted = 10 * major + minor;
  if (knows(major, minor)) return "sm_" + std::to_string(wanted);
  int best = 0;
  for (const int arch : nvrtc().archs) {
    if (arch <= wanted) best = std::max(best, arch);
  }
  if (best == 0) {
    throw DeviceError("CUDA: " + compiler_version() + " cannot compile for compute capability " +
                      std::to_string(major) + "." + std::to_string(minor) + ", its oldest is " +
                      std::to_string(nvrtc().archs.empty() ? 0 : nvrtc().archs.front()) +
                      " (tenths); an older toolkit can");
  }
  return "compute_" + std::to_string(best);
}

std::vector<std::string> all_options(const KernelSource& source, int major, int minor) {
  std::vector<std::string> options = {"-arch=" + architecture(major, minor), "-std=c++17",
                                      "-default-device"};
  options.insert(options.end(), source.options.begin(), source.options.end());
  return options;
}

const char* embedded(const std::string& name) {
  for (const EmbeddedSource& source : embedded_sources()) {
    if (name == source.name) return source.text;
  }
  throw DeviceError("CUDA: there is no kernel source " + name +
                    " in this program; this is a defect");
}

}  // namespace

std::string compiler_missing() { return nvrtc().missing; }

std::string compiler_version() {
  return "NVRTC " + std::to_string(nvrtc().major) + "." + std::to_string(nvrtc().minor);
}

std::string compile_key(const KernelSource& source, int major, int minor) {
  std::string key = compiler_version() + "\n";
  for (const std::string& option : all_options(source, major, minor)) key += option + "\n";
  key += source.file + "\n" + embedded(source.file);
  for (const EmbeddedSource& header : embedded_sources()) {
    if (std::string(header.name).find(".cu") == std::string::npos ||
        std::string(header.name).find(".cuh") != std::string::npos) {
      key += std::string(header.name) + "\n" + header.text;
    }
  }
  for (const auto& [name, text] : source.headers) key += name + "\n" + text;
  return key;
}

CompiledKernel compile_kernel(const KernelSource& source, int major, int minor, bool verbose) {
  if (!compiler_missing().empty()) throw DeviceError("CUDA: " + compiler_missing());
  const std::string doing = "compiling " + source.file;
  std::vector<const char*> names, texts;
  for (const EmbeddedSource& header : embedded_sources()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  for (const auto& [name, text] : source.headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  nvrtcProgram program = nullptr;
  check(nvrtc().nvrtcCreateProgram(&program, embedded(source.file), source.file.c_str(),
                                   static_cast<int>(names.size()), texts.data(), names.data()),
        "nvrtcCreateProgram", doing);
  const auto destroy = [](nvrtcProgram* p) { nvrtc().nvrtcDestroyProgram(p); };
  const std::unique_ptr<nvrtcProgram, decltype(destroy)> owner(&program, destroy);

  std::vector<std::string> options = all_options(source, major, minor);
  if (verbose) options.push_back("--ptxas-options=-v");
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  const nvrtcResult status =
      nvrtc().nvrtcCompileProgram(program, static_cast<int>(pointers.size()), pointers.data());
  CompiledKernel out;
  std::size_t size = 0;
  check(nvrtc().nvrtcGetProgramLogSize(program, &size), "nvrtcGetProgramLogSize", doing);
  out.log.resize(size);
  check(nvrtc().nvrtcGetProgramLog(program, out.log.data()), "nvrtcGetProgramLog", doing);
  while (!out.log.empty() && (out.log.back() == '\0' || out.log.back() == '\n')) out.log.pop_back();
  if (status != NVRTC_SUCCESS) {
    std::string log = out.log;
    std::replace(log.begin(), log.end(), '\n', ' ');
    throw DeviceError("CUDA: nvrtcCompileProgram failed with " +
                      std::string(nvrtc().nvrtcGetErrorString(status)) + " while " + doing + ": " +
                      log);
  }
  if (knows(major, minor)) {
    check(nvrtc().nvrtcGetCUBINSize(program, &size), "nvrtcGetCUBINSize", doing);
    out.image.resize(size);
    check(nvrtc().nvrtcGetCUBIN(program, out.image.data()), "nvrtcGetCUBIN", doing);
  } else {
    check(nvrtc().nvrtcGetPTXSize(program, &size), "nvrtcGetPTXSize", doing);
    out.image.resize(size);
    check(nvrtc().nvrtcGetPTX(program, out.image.data()), "nvrtcGetPTX", doing);
  }
  return out;
}

}  // namespace tessera::cuda
