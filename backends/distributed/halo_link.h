#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/distributed/turn.h"
#include "core/stepping/row_port.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Cells that one part's band gives to another one's, or to its own: the backends that step the
/// two, where the cells are in the one, where their copies go in the other, turned or not.
struct HaloPath {
  StepBackend* from = nullptr;
  StepBackend* to = nullptr;
  RowSide side = RowSide::below;  ///< of `from`, where `to` is
  Rect cells;                     ///< of the backend's own grid
  Cell at;                        ///< of the other backend's
  Turn turn;
};

/// A way along which cells travel. A post and the take that follows are separated by a barrier, and
/// so are the take and the next post.
class HaloLink {
 public:
  virtual ~HaloLink() = default;
  /// "host", "peer".
  virtual const char* name() const = 0;
  /// On the thread of the part that gives the cells.
  virtual void post() = 0;
  /// On the thread of the part that gets them.
  virtual void take() = 0;
};

/// Which kinds of link may be used.
enum class LinkChoice {
  automatic,  ///< peer where the two backends offer it, host elsewhere
  host,       ///< through the host's memory
  peer,       ///< from device to device
  nccl,       ///< from device to device by NVIDIA's library, with no link per pair
};

/// Reads "auto", "host", "nccl" or "peer"; throws InputError that names `what`.
LinkChoice parse_link(const std::string& what, const std::string& text);

/// A link along `path`. Throws UnsupportedError with the reason where `choice` is peer and the two
/// backends have no such way.
std::unique_ptr<HaloLink> make_link(const HaloPath& path, LinkChoice choice);

}  // namespace tessera
