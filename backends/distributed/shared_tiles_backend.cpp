#include "backends/distributed/shared_tiles_backend.h"

#include "core/base/error.h"
#include "core/tiles/pool_tiles.h"
#include "core/tiles/tile_pool.h"

namespace tessera {

namespace {

[[noreturn]] void no_grid() {
  throw UnsupportedError("several parts that share tiles hold no grid");
}

}  // namespace

BackendInfo shared_tiles_info(BackendInfo info, std::size_t parts, const std::string& link) {
  info.parts = static_cast<int>(parts);
  info.halo = kTileMargin;
  info.link = link;
  return info;
}

void SharedTilesBackend::do_upload(const CellGrid&) { no_grid(); }
void SharedTilesBackend::do_step(std::int64_t) { no_grid(); }
void SharedTilesBackend::do_synchronize() { no_grid(); }
CellGrid SharedTilesBackend::do_download(const Rect&) { no_grid(); }
void SharedTilesBackend::do_edit(const Cell&, const CellGrid&) { no_grid(); }
Survey SharedTilesBackend::do_survey(const Rect&, SurveyParts, std::int64_t, std::int64_t) {
  no_grid();
}
void SharedTilesBackend::do_view(const Rect&, std::int64_t, CellCounts&) { no_grid(); }

std::unique_ptr<TileDevice> tiles_of(StepBackend& backend) {
  if (std::unique_ptr<TileDevice> device = backend.tile_device()) return device;
  if (std::unique_ptr<TilePool> pool = backend.tiles()) {
    return std::make_unique<PoolTiles>(std::move(pool));
  }
  throw UnsupportedError("the kernel " + backend.info().kernel + " of " + backend.info().backend +
                         " has no tiles");
}

}  // namespace tessera
