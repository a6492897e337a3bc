#include "core/files/cache_folder.h"

#include <cstdlib>

namespace tessera {

std::string cache_folder() {
  if (const char* own = std::getenv("TESSERA_CACHE"); own && *own) return own;
  if (const char* caches = std::getenv("XDG_CACHE_HOME"); caches && *caches == '/')
    return std::string(caches) + "/tessera";
  if (const char* home = std::getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.cache/tessera";
  return {};
}

}  // namespace tessera
