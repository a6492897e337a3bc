#include "grid_copies.h"

bool run_torus(const std::string& name, void** arguments, int word);
bool run_plane(const std::string& name, void** arguments, int word);
bool run_inner_torus(const std::string& name, void** arguments, int word);
bool run_whole_torus(const std::string& name, void** arguments, int word);
bool run_whole_plane(const std::string& name, void** arguments, int word);
bool run_states_torus(const std::string& name, void** arguments, int word);
bool run_states_plane(const std::string& name, void** arguments, int word);
bool run_march(const std::string& name, void** arguments, int word);
bool run_relay(const std::string& name, void** arguments, int word);
bool run_ring(const std::string& name, void** arguments, int word);

namespace fake {

RunOfGrid run_of_grid(const std::string& file, const std::map<std::string, int>& options,
                      bool states) {
  const auto option = [&](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? -1 : found->second;
  };
  const bool torus = option("-DTESSERA_TORUS") != 0;
  const RunOfGrid band = torus ? run_torus : run_plane;
  if (file == "resident.cu") return nullptr;
  if (file == "march.cu" || file == "relay.cu") {
    if (!torus || option("-DTESSERA_T") != 8 || option("-DTESSERA_WARPS") != 8) return nullptr;
    if (file == "march.cu") return run_march;
    return option("-DTESSERA_RING") == 1 ? run_ring : run_relay;
  }
  if (option("-DTESSERA_PLANES") > 1) return run_states_torus;
  if (file != "strips.cu") return band;  // services know no rows of lanes
  if (option("-DTESSERA_W") != 8 || option("-DTESSERA_T") != 8 || option("-DTESSERA_NARROW") != 0 ||
      option("-DTESSERA_LAST_READ") != 0)
    return nullptr;
  if (states) {
    if (option("-DTESSERA_R") != 1 || option("-DTESSERA_WARPS") != 4) return nullptr;
    return torus ? run_states_torus : run_states_plane;
  }
  // On a plane what becomes a band is compiled without edges, too, which is never stepped.
  if (option("-DTESSERA_R") == 1)
    return torus && option("-DTESSERA_BAND") == 0 ? run_inner_torus : band;
  if (option("-DTESSERA_BAND") == 1) return nullptr;
  if (option("-DTESSERA_R") != 8 || option("-DTESSERA_WARPS") != 2) return nullptr;
  return torus ? run_whole_torus : run_whole_plane;
}

bool never_stepped(const std::string& file, const std::map<std::string, int>& options,
                   RunOfGrid run) {
  const auto band = options.find("-DTESSERA_BAND"), rows = options.find("-DTESSERA_R");
  return file == "strips.cu" && run == run_plane && band->second != 1 && rows->second == 1;
}

}  // namespace fake
