#include "backends/vulkan/vulkan_backend.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "backends/vulkan/program_module.h"
#include "backends/vulkan/rule_shader.h"
#include "backends/vulkan/shaders.h"
#include "backends/vulkan/submission_time.h"
#include "backends/vulkan/sums_rule.h"
#include "backends/vulkan/vulkan_tiles.h"
#include "core/base/geometry.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"

namespace tessera::vulkan {

namespace {

// Launches per submission: few at first, so that the device need not wait until all are recorded;
// then enough to hide the cost of a submission.
constexpr std::int64_t kFirstLaunches = 64;
constexpr std::int64_t kMostLaunches = 1024;

}  // namespace

VulkanBackend::VulkanBackend(std::shared_ptr<Device> device, const BackendSpec& spec,
                             BackendInfo info, KernelShape shape, GridPlan plan)
    : StepBackend(spec, std::move(info)),
      device_(std::move(device)),
      shape_(std::move(shape)),
      plan_(std::move(plan)),
      commands_(device_),
      transfer_(device_, commands_),
      look_(spec.width, spec.height,
            [this](const PixelSpans& pixels) { return make_room(pixels); }) {
  if (spec.tiles) return;  // there will be no grid
  transfer_buffer_ = device_->make_transfer(plan_.transfer);
  commands_.fill_guards(transfer_buffer_);
  if (shape_.bit_planes > 1) make_tables();
  if (spec.rule.ranged()) make_places();
  make_chunks();
  if (plan_.addressed) make_columns();
  device_->guarded("make descriptors", [&] { make_sets(); });
  if (spec.rule.from_file()) {
    table_ = std::make_unique<VulkanTable>(device_, commands_, spec, shape_, plan_, chunks_[0]);
    return;
  }
  step_pipeline_ =
      device_->guarded("make the pipeline of kernel " + shape_.kernel, [&] { return make_step(); });
}

vk::Pipeline VulkanBackend::make_step() {
  const Rule& rule = spec().rule;
  Specialization values = shape_.specialization(spec(), parts_.size() > 1);
  values[TESSERA_SPEC_STRIPE] = static_cast<std::uint32_t>(plan_.stripe);
  if (rule.ranged()) return make_sums(values);
  const RuleShader shader =
      rule_shader(device_->pipelines(), spec(),
                  {variant_of(shape_.kernel), variant_of("program"), variant_of("states")}, values);
  short_program_ = shader.shortest;
  return device_->pipelines().get(shader.name, values);
}

vk::Pipeline VulkanBackend::make_sums(Specialization values) {
  const Rule& rule = spec().rule;
  short_program_ = true;  // nothing is searched for
  shape_.sums_rule->specialize(values);
  values[TESSERA_SPEC_STRIDE] = static_cast<std::uint32_t>(plan_.stride);
  margins_pipeline_ = device_->pipelines().get("sum_margins", values);
  const std::string shader = "sums " + to_string(rule);
  const std::string empty = variant_of(shape_.bit_planes > 1 ? "sum_states" : "sums");
  device_->pipelines().add(shader, range_module(spirv(empty), rule));
  return device_->pipelines().get(shader, values);
}

VulkanBackend::~VulkanBackend() {
  try {
    device_->guarded("keep compiled pipelines", [&] { device_->pipelines().store(); });
  } catch (const DeviceError&) {
    // The pipelines of a lost device are not stored; the next run compiles anew.
  }
}

std::unique_ptr<TileDevice> VulkanBackend::tile_device() {
  if (shape_.kernel != "strips") return nullptr;
  return std::make_unique<VulkanTiles>(device_, spec());
}

std::int64_t VulkanBackend::rows_at_a_time() const {
  return transfer_buffer_.bytes / 8 / ceil_div(spec().width, 64);
}

const Buffer& VulkanBackend::rows_as_words(std::int64_t y, std::int64_t rows) {
  transfer_.stage_rows(cells(), y, rows);
  return transfer_buffer_;
}

void VulkanBackend::make_tables() {
  const std::vector<std::uint16_t> codes = state_codes(spec().rule);
  const std::size_t states = std::size_t{1} << shape_.state_planes;
  std::vector<std::uint32_t> words(states + (std::size_t{1} << shape_.bit_planes));
  for (std::size_t state = 0; state < codes.size(); state++) {
    words[state] = codes[state];
    words[states + codes[state]] = static_cast<std::uint32_t>(state);
  }
  tables_ = device_->make_cells(plan_.tables);
  commands_.fill_guards(tables_);
  commands_.write(tables_, 0, words);
  commands_.submit();
}

void VulkanBackend::make_places() {
  places_ = device_->make_cells(plan_.places);
  commands_.fill_guards(places_);
  commands_.write(places_, 0, shape_.sums_rule->places(shape_.rows, plan_.stride));
  commands_.submit();
}

void VulkanBackend::make_chunks() {
  for (const ChunkPlan& plan : plan_.chunks) {
    Chunk chunk;
    chunk.plan = plan;
    if (plan_.reach > 0) make_chained(chunk);
    for (Buffer& buffer : chunk.buffers) {
      if (plan_.reach == 0) {
        buffer =
            plan_.addressed ? device_->make_addressed(plan.bytes) : device_->make_cells(plan.bytes);
      }
      commands_.fill_zero(buffer);
      commands_.fill_guards(buffer);
    }
    chunks_.push_back(std::move(chunk));
    if (!plan_.addressed) parts_.push_back(plan.width);
  }
  if (plan_.addressed) parts_ = {spec().width};
  commands_.submit();
}

// See shaders/addressed.glsl and, where there is one macro-column, shaders/sums.comp.
void VulkanBackend::make_columns() {
  const std::int64_t bytes = plan_.stride * shape_.words * 4;  // of a macro-column's bit plane
  for (int b = 0; b < 2; b++) {
    std::vector<std::uint32_t> entries;
    for (const Chunk& chunk : chunks_) {
      const std::uint32_t plane = bit_plane_words(chunk.plan, shape_);
      const std::int64_t macros = ceil_div(chunk.plan.width, shape_.macro());
      for (std::int64_t macro = 0; macro < macros; macro++) {
        const std::uint64_t address =
            chunk.buffers[b].address + static_cast<std::uint64_t>(macro * bytes);
        entries.insert(entries.end(), {static_cast<std::uint32_t>(address),
                                       static_cast<std::uint32_t>(address >> 32), plane, 0});
      }
    }
    columns_[b] = device_->make_cells(plan_.columns);
    commands_.fill_guards(columns_[b]);
    commands_.write(columns_[b], 0, entries);
  }
  commands_.submit();
}

// To step from either buffer into the other, a set per part; to move cells of either buffer, a set
// per chunk.
void VulkanBackend::make_sets() {
  const std::size_t count = chunks_.size();
  sets_ = DescriptorSets(*device_, static_cast<std::uint32_t>(2 * (parts_.size() + count)));
  const auto add = [&](std::vector<vk::DescriptorSet>& to,
                       const std::array<const Buffer*, Pipelines::kBindings>& buffers,
                       std::int64_t first_byte = 0) {
    Bound bound;
    for (std::size_t i = 0; i < bound.size(); i++) bound[i] = from_byte(*buffers[i]->handle);
    bound[TESSERA_BIND_OWN].offset = static_cast<vk::DeviceSize>(first_byte);
    to.push_back(sets_.add(bound));
  };
  for (int from = 0; from < 2; from++) {
    for (std::size_t c = 0; c < count; c++) {
      const Buffer& own = chunks_[c].buffers[from];
      const Buffer& west = chunks_[(c + count - 1) % count].buffers[from];
      const Buffer& east = chunks_[(c + 1) % count].buffers[from];
      const Buffer& tables = shape_.bit_planes == 1 ? own : tables_;
      const Buffer& address = plan_.addressed ? columns_[from] : own;
      if (spec().rule.ranged())
        add(step_sets_[from], {&own, &places_, &address, &chunks_[c].buffers[1 - from]});
      else if (plan_.reach > 0)
        add(step_sets_[from], {&both_, &turns_, &both_, &both_});
      else if (!plan_.addressed)
        add(step_sets_[from], {&own, &west, &east, &chunks_[c].buffers[1 - from]});
      // What moves cells knows no columns in front of the grid.
      add(transfer_sets_[from], {&own, &tables, &own, &transfer_buffer_},
          first_byte(plan_, shape_));
    }
    const Buffer &here = columns_[from], &there = columns_[1 - from];
    if (plan_.addressed && !spec().rule.ranged())
      add(step_sets_[from], {&here, &here, &here, &there});
  }
}

void VulkanBackend::check_guards() {
  std::vector<const Buffer*> buffers{&transfer_buffer_, &tables_, &places_, &columns_[0],
                                     &columns_[1],      &both_,   &turns_,  &seen_turns_};
  std::int64_t largest = 4;
  for (const Chunk& chunk : chunks_) {
    for (const Buffer& buffer : chunk.buffers) buffers.push_back(&buffer);
  }
  for (const LookRoom* room : {look_.greys_room(), look_.ages_room()}) {
    if (!room) continue;
    std::ranges::copy(static_cast<const PixelView*>(room)->buffers(), std::back_inserter(buffers));
  }
  if (table_) std::ranges::copy(table_->buffers(), std::back_inserter(buffers));
  for (const Buffer* buffer : buffers) {
    for (const Buffer::Guard& guard : buffer->guards) largest = std::max(largest, guard.bytes);
  }
  const Buffer seen = device_->make_transfer(largest);
  for (const Buffer* buffer : buffers) {
    if (commands_.guards_untouched(*buffer, seen)) continue;
    throw DeviceError("vulkan: a kernel wrote around a buffer of " + std::to_string(buffer->bytes) +
                      " bytes; this is a defect of the kernel");
  }
}

CellsView VulkanBackend::cells() {
  return {&spec(), &shape_, &plan_, &chunks_, &transfer_buffer_, transfer_sets_[present_]};
}

// The most tiles x generations per submission.
std::int64_t VulkanBackend::budget() const {
  const double tile_cells = static_cast<double>(shape_.tile_columns * shape_.tile_rows);
  const double work = tile_cells * shape_.slowness;
  const double cells = submission_cells(commands_, device_->gpu().software(), work);
  return static_cast<std::int64_t>(cells / work) + 1;
}

// A program that is found at once steps until the search for a shorter one, which begins when it
// pays, has ended: on an emulated device it never does.
void VulkanBackend::search_when_due(std::int64_t generations) {
  if (short_program_ || has_one_circuit(spec()) || device_->gpu().software()) return;
  patience_ -= static_cast<double>(generations) * static_cast<double>(spec().width) *
               static_cast<double>(spec().height);
  if (patience_ > 0) return;
  if (!known_or_searched(neighbourhood_tables(spec().rule, spec().odd_rule))) {
    patience_ = kBetweenLooks;
    return;
  }
  commands_.wait();
  step_pipeline_ =
      device_->guarded("make the pipeline of kernel " + shape_.kernel, [&] { return make_step(); });
}

void VulkanBackend::do_step(std::int64_t generations) {
  if (table_) {
    present_ = table_->step(present_, generations, begins_odd());
    return;
  }
  search_when_due(generations);
  submission_work_ = 0;
  odd_ = begins_odd();
  if (plan_.reach > 0) {
    chain(generations);
    return;
  }
  std::int64_t launches = 0, submit_at = kFirstLaunches;
  while (generations > 0) {
    const auto now =
        static_cast<std::uint32_t>(std::min<std::int64_t>(generations, shape_.generations));
    launch(now);
    odd_ ^= now % 2 != 0;
    generations -= now;
    if (++launches < submit_at) continue;
    launches = 0;
    submit_at = std::min(2 * submit_at, kMostLaunches);
    commands_.submit();
    submission_work_ = 0;
  }
  commands_.submit();
}

// Everything but the tiles of a dispatch and its generations.
StepParams VulkanBackend::step_params(std::size_t c) const {
  const bool plane = spec().boundary == Boundary::plane;
  const std::size_t count = parts_.size();
  const auto narrow = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
  const std::int64_t width = parts_[c], words = shape_.words, macro = shape_.macro();
  const std::int64_t west_width = parts_[(c + count - 1) % count];
  const std::int64_t east_width = parts_[(c + 1) % count];
  const std::int64_t columns = ceil_div(width, shape_.tile_columns);
  StepParams params{};
  params.width = narrow(width);
  params.west_width = narrow(west_width);
  params.east_width = narrow(east_width);
  params.height = narrow(spec().height);
  params.stride = narrow(plan_.stride);
  params.edges = (plane && c == 0 ? 0 : TESSERA_EDGE_WEST) |
                 (plane && c + 1 == count ? 0 : TESSERA_EDGE_EAST) |
                 (keeps_margins() ? TESSERA_EDGE_COPIES : 0);
  params.columns = narrow(columns);
  params.rows = narrow(plan_.row_tiles);
  params.tile_height = narrow(shape_.tile_rows);
  params.one = 1;
  params.minus_two = ~1u;
  params.two_bits = shape_.bits < 32 ? 1u << shape_.bits : 0;
  if (shape_.bits == 32) return params;  // plain words, or sums
  const std::int64_t last = width - (columns - 1) * macro;
  params.last_word = narrow(last % words);
  params.last_bit = narrow(shape_.halo_bits() + last / words);
  const bool thin = west_width < words;
  const std::int64_t halo = shape_.halo_bits() * words;
  const std::int64_t first =
      thin ? (west_width - words % west_width) % west_width : west_width - halo;
  params.west_macro = narrow(first / macro);
  params.west_word = narrow(thin ? first : first % words);
  params.west_bit = narrow(shape_.halo_bits() + (thin ? 0 : first % macro / words));
  return params;
}

// What a generation of longer range sees beyond the grid: always, because cells may have come from
// elsewhere, and what the last strips lack is zero between launches.
void VulkanBackend::write_sum_margins() {
  const bool plane = spec().boundary == Boundary::plane;
  const std::int64_t outside = shape_.before + shape_.behind, words = shape_.words;
  const std::int64_t lacking =
      spec().width == 32 * words ? 0 : std::min<std::int64_t>(shape_.before, words);
  const std::int64_t items =
      (outside + lacking) * (spec().height + outside) + (plane ? 0 : (words - lacking) * outside);
  StepParams params = step_params(0);
  params.columns = static_cast<std::uint32_t>(outside + lacking);
  params.end_tile = static_cast<std::uint32_t>(items);
  commands_.barrier();
  commands_.dispatch(margins_pipeline_, step_sets_[present_][0], params,
                     ceil_div(items, std::int64_t{shape_.group_size}));
}

void VulkanBackend::launch(std::uint32_t generations) {
  const bool plane = spec().boundary == Boundary::plane;
  bool first_dispatch = true;
  for (std::size_t c = 0; c < parts_.size(); c++) {
    StepParams params = step_params(c);
    params.generations = generations;
    params.odd = odd_ ? 1 : 0;
    const std::int64_t tiles = plan_.row_tiles * params.columns;
    for (std::int64_t tile = 0; tile < tiles;) {
      const std::int64_t room = (budget() - submission_work_) / generations;
      if (room < std::min(tiles - tile, std::int64_t{shape_.tiles_per_group}) &&
          submission_work_ > 0) {
        commands_.submit();
        submission_work_ = 0;
        continue;
      }
      // Whole workgroups, and at least one.
      const std::int64_t groups = std::max<std::int64_t>(1, room / shape_.tiles_per_group);
      const std::int64_t take = std::min(tiles - tile, groups * shape_.tiles_per_group);
      if (submission_work_ == 0) commands_.begin_timed(0);
      if (first_dispatch && spec().rule.ranged()) write_sum_margins();
      if (first_dispatch) commands_.barrier();
      first_dispatch = false;
      params.first_tile = static_cast<std::uint32_t>(tile);
      params.end_tile = static_cast<std::uint32_t>(tile + take);
      commands_.dispatch(step_pipeline_, step_sets_[present_][c], params,
                         ceil_div(take, shape_.tiles_per_group));
      commands_.add_work(static_cast<double>(take * generations));
      submission_work_ += take * generations;
      tile += take;
    }
  }
  present_ = 1 - present_;
  if (!plane && !keeps_margins()) transfer_.write_margins(cells());
}

void VulkanBackend::do_synchronize() {
  commands_.wait();
  check_turns();
}
void VulkanBackend::do_upload(const CellGrid& grid) { transfer_.put(cells(), {0, 0}, grid); }
void VulkanBackend::do_fill(const Soup& soup, std::int64_t y, std::int64_t rows,
                            std::uint64_t index) {
  transfer_.put_soup(cells(), soup, y, rows, index);
}
void VulkanBackend::do_edit(const Cell& at, const CellGrid& block) {
  transfer_.put(cells(), at, block);
}
CellGrid VulkanBackend::do_download(const Rect& rect) {
  CellGrid grid = transfer_.get(cells(), rect);
  check_turns();
  return grid;
}

std::vector<CellGrid> VulkanBackend::do_downloads(std::span<const Rect> rects) {
  std::vector<CellGrid> grids = transfer_.get(cells(), rects);
  check_turns();
  return grids;
}

Survey VulkanBackend::do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                                std::int64_t row0) {
  Survey survey = transfer_.survey(cells(), rect, parts, column0, row0);
  check_turns();
  return survey;
}

void VulkanBackend::do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  transfer_.count(cells(), rect, scale, counts);
  check_turns();
}

// Null when the device has none.
std::unique_ptr<LookRoom> VulkanBackend::make_room(const PixelSpans& pixels) {
  if (chunks_.size() > 1 || !PixelView::fits(device_->gpu(), pixels)) return nullptr;
  try {
    return std::make_unique<PixelView>(device_, commands_, cells(), present_, pixels);
  } catch (const DeviceMemoryError&) {
    return nullptr;
  }
}

std::optional<double> VulkanBackend::do_device_seconds() {
  commands_.wait();
  if (device_->gpu().timestamp_bits == 0) return std::nullopt;
  return commands_.seconds();
}

}  // namespace tessera::vulkan
