#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "backends/distributed/shared_tiles.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// What offers tiles over several parts (SharedTiles), and no grid: for specs that ask for tiles
/// alone (BackendSpec::tiles).
class SharedTilesBackend final : public StepBackend {
 public:
  using Make = std::function<std::unique_ptr<SharedTiles>()>;

  /// `make` makes the parts' devices and throws what they throw.
  SharedTilesBackend(const BackendSpec& spec, const BackendInfo& info, Make make)
      : StepBackend(spec, info), make_(std::move(make)) {}

  std::unique_ptr<TileDevice> tile_device() override { return make_(); }

 private:
  // There is no grid: all throw UnsupportedError.
  void do_upload(const CellGrid& cells) override;
  void do_step(std::int64_t generations) override;
  void do_synchronize() override;
  CellGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;

  Make make_;
};

/// The rest of `info` where so many parts share tiles: parts, halo and link.
BackendInfo shared_tiles_info(BackendInfo info, std::size_t parts, const std::string& link);

/// The tiles of a backend that was made for them, in its device's memory or in the host's. Throws
/// UnsupportedError where it has none.
std::unique_ptr<TileDevice> tiles_of(StepBackend& backend);

}  // namespace tessera
