#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera::cuda {

/// A source to compile at run time: one of the embedded kernels, the text of generated headers, and
/// macros.
struct KernelSource {
  std::string file;                                          ///< "strips.cu"
  std::vector<std::pair<std::string, std::string>> headers;  ///< generated: name, text
  std::vector<std::string> options;                          ///< "-DNAME=VALUE"
};

/// A kernel's machine code and what the compiler said.
struct CompiledKernel {
  std::vector<char> image;  ///< cubin, or PTX for a device that is newer than the compiler
  std::string log;
};

/// Why kernels cannot be compiled here, or empty. NVRTC is searched for as the linker does, then in
/// CUDA_PATH, CUDA_HOME and the usual folders.
std::string compiler_missing();

/// "NVRTC 13.0", for keys and reports.
std::string compiler_version();

/// Compiles for compute capability major.minor. Throws DeviceError with the compiler's log.
/// `verbose` asks for the report of registers and spills.
CompiledKernel compile_kernel(const KernelSource& source, int major, int minor,
                              bool verbose = false);

/// Everything that determines the result of compile_kernel, as one text.
std::string compile_key(const KernelSource& source, int major, int minor);

}  // namespace tessera::cuda
