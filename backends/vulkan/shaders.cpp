#include "backends/vulkan/shaders.h"

#include <stdexcept>
#include <string>

namespace tessera::vulkan {

namespace {

constexpr std::uint32_t kWord[] = {
#include "word.spv.inc"
};
constexpr std::uint32_t kShared[] = {
#include "shared.spv.inc"
};
constexpr std::uint32_t kSubgroup[] = {
#include "subgroup.spv.inc"
};
constexpr std::uint32_t kStrips[] = {
#include "strips.spv.inc"
};
constexpr std::uint32_t kProgram[] = {
#include "program.spv.inc"
};
constexpr std::uint32_t kStates[] = {
#include "states.spv.inc"
};
constexpr std::uint32_t kAddressedStrips[] = {
#include "addressed_strips.spv.inc"
};
constexpr std::uint32_t kAddressedProgram[] = {
#include "addressed_program.spv.inc"
};
constexpr std::uint32_t kAddressedStates[] = {
#include "addressed_states.spv.inc"
};
constexpr std::uint32_t kImport[] = {
#include "import.spv.inc"
};
constexpr std::uint32_t kExport[] = {
#include "export.spv.inc"
};
constexpr std::uint32_t kMargins[] = {
#include "margins.spv.inc"
};
constexpr std::uint32_t kSoup[] = {
#include "soup.spv.inc"
};
constexpr std::uint32_t kReduce[] = {
#include "reduce.spv.inc"
};
constexpr std::uint32_t kView[] = {
#include "view.spv.inc"
};
constexpr std::uint32_t kCounts[] = {
#include "counts.spv.inc"
};
constexpr std::uint32_t kPixels[] = {
#include "pixels.spv.inc"
};
constexpr std::uint32_t kCeiling[] = {
#include "ceiling.spv.inc"
};
constexpr std::uint32_t kTiles[] = {
#include "tiles.spv.inc"
};
constexpr std::uint32_t kTileProgram[] = {
#include "tile_program.spv.inc"
};
constexpr std::uint32_t kTileStates[] = {
#include "tile_states.spv.inc"
};
constexpr std::uint32_t kTileCopies[] = {
#include "tile_copies.spv.inc"
};
constexpr std::uint32_t kTileShapes[] = {
#include "tile_shapes.spv.inc"
};
constexpr std::uint32_t kTileHost[] = {
#include "tile_host.spv.inc"
};
constexpr std::uint32_t kWhole[] = {
#include "whole.spv.inc"
};
constexpr std::uint32_t kSliced[] = {
#include "sliced.spv.inc"
};
constexpr std::uint32_t kBatchCells[] = {
#include "batch_cells.spv.inc"
};
constexpr std::uint32_t kSums[] = {
#include "sums.spv.inc"
};
constexpr std::uint32_t kSumStates[] = {
#include "sum_states.spv.inc"
};
constexpr std::uint32_t kChainedStrips[] = {
#include "chained_strips.spv.inc"
};
constexpr std::uint32_t kChainedProgram[] = {
#include "chained_program.spv.inc"
};
constexpr std::uint32_t kChainedStates[] = {
#include "chained_states.spv.inc"
};
constexpr std::uint32_t kAddressedSums[] = {
#include "addressed_sums.spv.inc"
};
constexpr std::uint32_t kAddressedSumStates[] = {
#include "addressed_sum_states.spv.inc"
};
constexpr std::uint32_t kSumMargins[] = {
#include "sum_margins.spv.inc"
};
constexpr std::uint32_t kTable[] = {
#include "table.spv.inc"
};
constexpr std::uint32_t kWidePixels[] = {
#include "wide_pixels.spv.inc"
};

struct Shader {
  std::string_view name;
  std::span<const std::uint32_t> words;
};

constexpr Shader kShaders[] = {
    {"word", kWord},
    {"shared", kShared},
    {"subgroup", kSubgroup},
    {"strips", kStrips},
    {"program", kProgram},
    {"states", kStates},
    {"addressed_strips", kAddressedStrips},
    {"addressed_program", kAddressedProgram},
    {"addressed_states", kAddressedStates},
    {"import", kImport},
    {"export", kExport},
    {"margins", kMargins},
    {"soup", kSoup},
    {"reduce", kReduce},
    {"view", kView},
    {"counts", kCounts},
    {"pixels", kPixels},
    {"ceiling", kCeiling},
    {"tiles", kTiles},
    {"tile_program", kTileProgram},
    {"tile_states", kTileStates},
    {"tile_copies", kTileCopies},
    {"tile_shapes", kTileShapes},
    {"tile_host", kTileHost},
    {"whole", kWhole},
    {"sliced", kSliced},
    {"batch_cells", kBatchCells},
    {"sums", kSums},
    {"sum_states", kSumStates},
    {"chained_strips", kChainedStrips},
    {"chained_program", kChainedProgram},
    {"chained_states", kChainedStates},
    {"addressed_sums", kAddressedSums},
    {"addressed_sum_states", kAddressedSumStates},
    {"sum_margins", kSumMargins},
    {"table", kTable},
    {"wide_pixels", kWidePixels},
};

}  // namespace

std::span<const std::uint32_t> spirv(std::string_view name) {
  for (const Shader& shader : kShaders) {
    if (shader.name == name) return shader.words;
  }
  throw std::logic_error("no shader is built in as " + std::string(name));
}

}  // namespace tessera::vulkan
