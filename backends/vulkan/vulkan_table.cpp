#include "backends/vulkan/vulkan_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "backends/vulkan/submission_time.h"
#include "backends/vulkan/transfer.h"
#include "core/base/error.h"
#include "core/base/geometry.h"
#include "core/base/memory_text.h"

namespace tessera::vulkan {

namespace {

constexpr std::int64_t kNoteBytes =
    4 * (TESSERA_NOTES_CELLS + std::int64_t{TESSERA_NOTES_CELL} * TableDevice::kMostUnknown);
constexpr std::int64_t kWordCells = 32;
// Cells of a submission at most: generations that are queued in vain let devices seem faster.
constexpr double kMostSubmissionCells = 4e9;
static_assert(sizeof(UnknownCell) == 4 * TESSERA_NOTES_CELL);

// A place of shaders/table.comp.
std::uint32_t place_of(const SeenCell& cell) {
  return static_cast<std::uint32_t>(3 * (cell.dy + 1) + cell.dx + 1);
}

}  // namespace

std::int64_t VulkanTable::bytes_needed() { return 2 * kNoteBytes; }

VulkanTable::VulkanTable(std::shared_ptr<Device> device, Commands& commands,
                         const BackendSpec& spec, const KernelShape& shape, const GridPlan& plan,
                         const Chunk& chunk)
    : device_(std::move(device)), commands_(commands), chunk_(chunk), steps_(spec) {
  words_ = ceil_div(spec.width, kWordCells) * spec.height;
  group_ = shape.group_size;
  params_.width = static_cast<std::uint32_t>(spec.width);
  params_.height = static_cast<std::uint32_t>(spec.height);
  params_.stride = static_cast<std::uint32_t>(plan.stride);
  params_.bit_plane = bit_plane_words(chunk.plan, shape);
  params_.most = static_cast<std::uint32_t>(kMostUnknown);
  notes_ = device_->make_work(kNoteBytes);
  seen_ = device_->make_transfer(kNoteBytes);
  for (const Buffer* buffer : {&notes_, &seen_}) commands_.fill_guards(*buffer);
  for (int rule = 0; rule < steps_.rules(); rule++) {
    side(rule).pipeline = device_->guarded("make the pipeline of kernel table",
                                           [&] { return make_pipeline(spec, shape, rule); });
  }
}

vk::Pipeline VulkanTable::make_pipeline(const BackendSpec& spec, const KernelShape& shape,
                                        int rule) {
  const TransitionGraph& graph = steps_.graph(rule);
  Specialization values = shape.specialization(spec, false);
  values[TESSERA_SPEC_QUIET] = !(rule == 0 ? spec.rule : *spec.odd_rule).has_b0();
  values[TESSERA_SPEC_STATES] = static_cast<std::uint32_t>(graph.states());
  values[TESSERA_SPEC_CELLS] = static_cast<std::uint32_t>(graph.cells().size());
  for (const TransitionGraph::Level& level : graph.levels()) {
    for (std::size_t i = level.first; i < level.first + level.count; i++)
      values[TESSERA_SPEC_SEEN + i] = place_of(graph.cells()[i]);
    values[TESSERA_SPEC_SEEN + level.first + level.count - 1] |= TESSERA_SEEN_ENDS;
  }
  return device_->pipelines().get("table", values);
}

// No set of it is in use.
void VulkanTable::bind(Side& side) {
  side.made = DescriptorSets(*device_, 2);
  for (std::size_t from = 0; from < 2; from++) {
    Bound bound;
    bound[TESSERA_BIND_OWN] = from_byte(*chunk_.buffers[from].handle);
    bound[TESSERA_BIND_GRAPH] = from_byte(*side.entries.handle);
    bound[TESSERA_BIND_NOTES] = from_byte(*notes_.handle);
    bound[TESSERA_BIND_OUT] = from_byte(*chunk_.buffers[1 - from].handle);
    side.sets[from] = side.made.add(bound);
  }
}

int VulkanTable::step(int present, std::int64_t generations, bool odd) {
  present_ = present;
  steps_.step(*this, generations, odd);
  return present_;
}

std::vector<const Buffer*> VulkanTable::buffers() const {
  return {&notes_, &seen_, &sides_[0].entries, &sides_[1].entries};
}

void VulkanTable::make_room(int rule, std::int64_t entries) {
  const std::int64_t most =
      std::min(device_->gpu().max_buffer_range, device_->gpu().max_allocation);
  if (4 * entries > most) {
    throw DeviceMemoryError(fmt::format(
        "vulkan: {}: the graph of the rule needs a buffer of {}; the device's are at most {}",
        device_->gpu().name, memory_text(4 * entries), memory_text(most)));
  }
  commands_.wait();
  Side& of = side(rule);
  of.entries = {};  // before there is another
  of.entries = device_->make_work(4 * entries);
  commands_.fill_guards(of.entries);
  commands_.fill_zero(of.entries);
  commands_.barrier_to_all();
  device_->guarded("make descriptors", [&] { bind(of); });
}

void VulkanTable::send(int rule, const TransitionGraph::Piece& piece) {
  commands_.barrier_to_all();
  commands_.write(side(rule).entries, 4 * std::int64_t{piece.first}, piece.entries);
}

void VulkanTable::begin_steps() {
  const std::uint32_t head[] = {Stop::kNone, 0};
  commands_.barrier_to_all();
  commands_.write(notes_, 4 * TESSERA_NOTES_STOPPED, head);
}

std::int64_t VulkanTable::words_of_submission() const {
  const double cells = submission_cells(commands_, device_->gpu().software(), kWordCells);
  return static_cast<std::int64_t>(std::min(cells, kMostSubmissionCells)) / kWordCells + 1;
}

void VulkanTable::queue(int rule, std::uint32_t generation, std::int64_t first, std::int64_t end) {
  TableParams params = params_;
  params.what = TESSERA_TABLE_STEP;
  params.generation = generation;
  params.root = steps_.graph(rule).root();
  const Side& of = side(rule);
  while (first < end) {
    const std::int64_t room = words_of_submission() - submitted_;
    if (room <= 0) {
      commands_.submit();
      submitted_ = 0;
      continue;
    }
    if (submitted_ == 0) commands_.begin_timed(0);
    // Parts of one generation, too, note in the same place.
    commands_.barrier();
    const std::int64_t take = std::min(end - first, ceil_div(room, group_) * group_);
    params.first = static_cast<std::uint32_t>(first);
    params.end = static_cast<std::uint32_t>(first + take);
    commands_.dispatch(of.pipeline, of.sets[(static_cast<std::size_t>(present_) + generation) % 2],
                       params, ceil_div(take, group_));
    commands_.add_work(static_cast<double>(take));
    submitted_ += take;
    first += take;
  }
}

// The first words of the notes, into the memory of the host.
void VulkanTable::read(std::int64_t words) {
  commands_.barrier_to_all();
  commands_.copy(notes_, 0, seen_, 0, 4 * words);
  commands_.barrier_to_all();
  commands_.wait();
  submitted_ = 0;
}

TableDevice::Stop VulkanTable::stopped() {
  const auto* const words = static_cast<const std::uint32_t*>(seen_.mapped);
  read(TESSERA_NOTES_CELLS);
  Stop stop;
  stop.generation = words[TESSERA_NOTES_STOPPED];
  if (stop.generation == Stop::kNone) return stop;
  stop.cells.resize(std::min<std::size_t>(words[TESSERA_NOTES_COUNT], kMostUnknown));
  read(TESSERA_NOTES_CELLS + TESSERA_NOTES_CELL * std::ssize(stop.cells));
  std::memcpy(stop.cells.data(), words + TESSERA_NOTES_CELLS,
              stop.cells.size() * sizeof(UnknownCell));
  return stop;
}

void VulkanTable::put(const std::vector<UnknownCell>& cells) {
  std::vector<std::uint32_t> list(cells.size() * TESSERA_NOTES_CELL);
  std::memcpy(list.data(), cells.data(), 4 * list.size());
  commands_.barrier_to_all();
  commands_.write(notes_, 4 * TESSERA_NOTES_CELLS, list);
  commands_.barrier_to_all();
  TableParams params = params_;
  params.what = TESSERA_TABLE_PUT;
  params.end = static_cast<std::uint32_t>(cells.size());
  commands_.dispatch(side(0).pipeline, side(0).sets[static_cast<std::size_t>(present_)], params,
                     ceil_div(std::ssize(cells), group_));
}

}  // namespace tessera::vulkan
