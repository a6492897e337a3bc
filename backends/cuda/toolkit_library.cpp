#include "backends/cuda/toolkit_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

namespace tessera::cuda {

void* open_toolkit_library(std::span<const char* const> names, std::string& why) {
  std::vector<std::string> folders = {""};
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const char* value = std::getenv(name)) {
      folders.push_back(std::string(value) + "/lib64/");
      folders.push_back(std::string(value) + "/lib/");
    }
  }
  for (const char* usual : {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/", "/opt/cuda/lib64/"})
    folders.emplace_back(usual);
  for (const std::string& folder : folders) {
    for (const char* name : names) {
      if (void* handle = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
      const char* error = dlerror();
      if (why.empty() && error) why = error;
    }
  }
  return nullptr;
}

}  // namespace tessera::cuda
