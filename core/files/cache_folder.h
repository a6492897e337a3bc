#pragma once

#include <string>

namespace tessera {

/// The folder for what can be made again: compiled kernels, pipelines and tunings. It is
/// $TESSERA_CACHE, else $XDG_CACHE_HOME/tessera, else $HOME/.cache/tessera. Variables that are
/// empty do not count, nor do XDG_CACHE_HOME and HOME when they are relative, as the XDG Base
/// Directory Specification has it. Empty when no variable names a folder. The folder may not exist.
std::string cache_folder();

}  // namespace tessera
