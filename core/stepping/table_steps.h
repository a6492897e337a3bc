#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/stepping/step_backend.h"
#include "core/stepping/table_device.h"

namespace tessera {

/// Steps a TableDevice: many generations are queued at a time. Where one meets a neighbourhood that
/// nobody has asked for yet, the TransitionGraph learns it, the device gets the new entries, and
/// that generation is repeated. Where the graph has no room for what is missing, the host works out
/// the states of these cells one by one.
class TableSteps {
 public:
  /// Of a grid under a rule of a file, or two in turns.
  explicit TableSteps(const BackendSpec& spec);

  /// How many rules take turns, and their graphs.
  int rules() const { return graphs_[1] ? 2 : 1; }
  const TransitionGraph& graph(int rule) const { return *graphs_[static_cast<std::size_t>(rule)]; }

  /// Steps the device, which must be the same in all calls, and waits. `odd`: whether the first
  /// generation is an odd one.
  void step(TableDevice& device, std::int64_t generations, bool odd);

 private:
  // What a device has of a graph.
  struct Copy {
    std::int64_t room = 0;
    std::uint64_t seen = 0;
  };

  int rule_of(bool odd) const { return odd && rules() == 2 ? 1 : 0; }
  bool send_news(TableDevice& device, int rule);
  std::uint8_t next(int rule, const UnknownCell& cell);
  void step_by_host(TableDevice& device, int rule);

  std::array<std::shared_ptr<TransitionGraph>, 2> graphs_;
  std::array<Copy, 2> copies_;
  std::int64_t batch_;  // generations to queue next
};

}  // namespace tessera
