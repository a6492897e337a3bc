#pragma once

#include <span>
#include <string>

namespace tessera::cuda {

/// Opens a library of the CUDA toolkit by the first of these file names that is found: where the
/// system's loader looks, then in the folders of $CUDA_PATH and $CUDA_HOME, then where toolkits are
/// usually installed. Returns what dlopen does; null, with the loader's reason in `why`, where
/// there is none.
void* open_toolkit_library(std::span<const char* const> names, std::string& why);

}  // namespace tessera::cuda
