#include "backends/cpu/strip_grid.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/strip_plan.h"
#include "backends/cpu/usable_threads.h"
#include "core/base/large_pages.h"

namespace tessera {

namespace {

// Of an equal share of the rows, the part that the slowest task keeps: its speed may change.
constexpr std::int64_t kLeast = 8;
// A task hands two rows on.
constexpr std::int64_t kLeastRows = 2;

// Rows above and below those of a band that it may slide to, where twice its memory is allowed.
std::int64_t room_of(const StripLayout& layout, const BackendSpec& spec, const Tuning& tuning,
                     int planes) {
  const bool fits =
      spec.max_memory == 0 || 2 * StripGrid::bytes_needed(spec, tuning, planes) <= spec.max_memory;
  return spec.halo_rows > 0 && layout.bands == 1 && fits ? layout.band_rows / 2 : 0;
}

StripLayout with_room(StripLayout layout, std::int64_t room) {
  layout.margin_top += room, layout.margin_bottom += room;
  return layout;
}

}  // namespace

// Memory that is not written, `unused` words at both ends, is not taken of the machine.
StripGrid::Buffer StripGrid::allocate(std::int64_t words, std::int64_t unused) {
  Buffer buffer = hwy::AllocateAligned<std::uint64_t>(static_cast<std::size_t>(words));
  if (!buffer) throw std::bad_alloc();
  const std::size_t bytes = static_cast<std::size_t>(words) * 8;
  if (bytes >= kWorthLargePages) want_large_pages(buffer.get(), bytes);
  std::fill(buffer.get() + unused, buffer.get() + words - unused, 0);
  return buffer;
}

std::int64_t StripGrid::bytes_needed(const BackendSpec& spec, const Tuning& tuning, int planes,
                                     StripTenants tenants) {
  const StripLayout layout =
      StripLayout::of(spec, strip_lanes(), tuning.group, tuning.generations, tenants);
  const std::int64_t scratch = strip_scratch_words(layout, tuning.generations, tuning.rows) +
                               strip_window_words(layout, planes, tuning.generations, tuning.rows) +
                               strip_handed_words(layout, planes, tuning.generations) *
                                   (tuning.threads > 1 ? Stretches::most_of(1) : 0);
  return 8 * (2 * planes * layout.buffer_words() + tuning.threads * scratch);
}

StripGrid::StripGrid(const BackendSpec& spec, const Tuning& tuning, int planes,
                     StripTenants tenants)
    : StripGrid(spec, tuning, planes, tenants,
                StripLayout::of(spec, strip_lanes(), tuning.group, tuning.generations, tenants)) {}

StripGrid::StripGrid(const BackendSpec& spec, const Tuning& tuning, int planes,
                     StripTenants tenants, const StripLayout& layout)
    : tuning_(tuning),
      room_(room_of(layout, spec, tuning, planes)),
      layout_(with_room(layout, room_)),
      seams_(layout_),
      rows_(layout_),
      margins_(layout_, tuning_.generations),
      crew_(spec.crew),
      threads_(usable_threads(tuning_)),
      tasks_(plan_tasks(layout_, tuning_.generations, tuning_.rows, threads_)),
      shares_(tasks_) {
  if (crew_) {
    join_crew();
  } else {
    stretches_ = std::make_unique<Stretches>(tasks_);
    own_seconds_.resize(static_cast<std::size_t>(tasks_));
    own_stepped_.resize(own_seconds_.size());
    seconds_ = own_seconds_;
    stepped_ = own_stepped_;
    threads_ = tasks_;
  }
  tasks_memory_.resize(static_cast<std::size_t>(std::clamp(tasks_ - first_, 0, threads_)));
  const std::int64_t unused = room_ * layout_.stride * layout_.lanes;
  for (int p = 0; p < planes; p++) {
    front_.push_back(make_cells(layout_.buffer_words(), unused));
    back_.push_back(make_cells(layout_.buffer_words(), unused));
  }
  if (crew_) {
    // Before the first pass, as all memory of a crew; its dead rows are closed.
    if (tasks_ > 1) make_handed();
    return;
  }
  opened(0, layout_.height);
  if (tenants != StripTenants::one || layout_.bands > 1) return;
  above_ = spec.halo_above;
  below_ = spec.halo_rows - spec.halo_above;
}

// The threads of all processes are numbered from those of the first one on.
void StripGrid::join_crew() {
  const auto size = static_cast<std::size_t>(crew_->size()),
             me = static_cast<std::size_t>(crew_->rank());
  auto* const told = reinterpret_cast<std::int64_t*>(
      crew_->allocate(static_cast<std::int64_t>(size * sizeof(std::int64_t))));
  told[me] = threads_;
  crew_->meet();
  std::int64_t all = 0;
  for (std::size_t i = 0; i < size; i++) {
    if (i == me) first_ = static_cast<int>(all);
    all += told[i];
  }
  tasks_ = plan_tasks(layout_, tuning_.generations, tuning_.rows,
                      static_cast<int>(std::min<std::int64_t>(all, kMostThreads)));
  shares_ = RowShares(tasks_);
  const bool first = leads();
  stretches_ =
      std::make_unique<Stretches>(tasks_, crew_->allocate(Stretches::bytes(tasks_)), first);
  const auto tasks = static_cast<std::size_t>(tasks_);
  seconds_ = {
      reinterpret_cast<double*>(crew_->allocate(static_cast<std::int64_t>(tasks * sizeof(double)))),
      tasks};
  stepped_ = {reinterpret_cast<std::int64_t*>(
                  crew_->allocate(static_cast<std::int64_t>(tasks * sizeof(std::int64_t)))),
              tasks};
  std::byte* const shared = crew_->allocate(sizeof(Shared));
  shared_ = first ? new (shared) Shared : std::launder(reinterpret_cast<Shared*>(shared));
  crew_->meet();
}

StripGrid::Cells StripGrid::make_cells(std::int64_t words, std::int64_t unused) const {
  Cells cells;
  if (crew_) {
    cells.words = reinterpret_cast<std::uint64_t*>(crew_->allocate(8 * words));
  } else {
    cells.own = allocate(words, unused);
    cells.words = cells.own.get();
  }
  return cells;
}

bool StripGrid::slide(std::int64_t first, std::int64_t height) {
  const std::int64_t least = tuning_.generations + kRowStep;
  const std::int64_t top = layout_.margin_top + first,
                     bottom = layout_.margin_bottom + layout_.band_rows - first - height;
  if (room_ == 0 || top < least || bottom < least) return false;
  layout_.margin_top = top, layout_.margin_bottom = bottom;
  layout_.height = layout_.band_rows = height;
  margins_ = Margins(layout_, tuning_.generations);
  rows_ = StripRows(layout_);
  open_.clear();
  opened(0, height);
  return true;
}

// Row by row, so that the soup never exists as a whole grid besides the buffers.
void StripGrid::fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) {
  BitGrid row(layout_.width, 1);
  opened(y, rows);
  for (const std::int64_t end = y + rows; y < end; y++) {
    for (std::uint64_t& word : row.words()) word = soup.word(index++);
    row.clear_padding();
    rows_.write(front_[0].get(), y, row.row(0));
  }
}

// Notes that rows of the grid were written. Row y lies in vector row y modulo band_rows.
void StripGrid::opened(std::int64_t y, std::int64_t rows) {
  constexpr std::size_t kMostRanges = 16;
  wrong_ = 0;
  if (crew_) {
    shared_->opened.store(1, std::memory_order_relaxed);
    return;
  }
  const std::int64_t all = layout_.band_rows, first = y % all, end = first + rows;
  if (rows >= all || open_.size() >= kMostRanges) {
    open_.assign(1, {0, all});
    return;
  }
  open_.emplace_back(first, std::min(end, all));
  if (end > all) open_.emplace_back(0, end - all);
}

void StripGrid::run_pass(const StripRules& rules, int generations, int tasks) {
  wrong_ += generations;
  const std::int64_t begin = std::min(above_, wrong_),
                     rows = layout_.band_rows - begin - std::min(below_, wrong_);
  tasks = static_cast<int>(std::clamp<std::int64_t>(rows / kLeastRows, 1, tasks));
  const auto write = [&](const std::vector<MarginRow>& margins) {
    for (const Cells& plane : front_)
      strip_write_margins(layout_, margins, generations, plane.get());
  };
  const bool first = leads();
  if (first) write(margins_.inside);
  const std::vector<std::int64_t> cuts = cuts_of(begin, rows, generations, tasks);
  // Where the first task alone meets the margin above, it writes it, and the task that comes to the
  // one below writes that, because moving data between the caches of two cores is slow.
  const bool far = cuts[1] >= generations + 2 * kRowStep,
             far_below = cuts.back() - cuts[cuts.size() - 2] >= 2 * kRowStep;
  if (first && !far) write(margins_.above);
  if (first && !far_below) write(margins_.below);
  const bool windows = rules.moves && (tasks > 1 || !rules.moves->permute());
  const int own = std::clamp(tasks - first_, 0, threads_);  // tasks of this process
  for (int i = 0; i < own; i++) make_memory(rules, windows, tasks_memory_[i]);
  if (tasks > 1 && !handed_.get()) make_handed();
  if (first) stretches_->set(cuts, generations);
  if (crew_) crew_->meet();
  std::vector<PlaneMemory> memory;
  if (rules.moves) memory = rules.moves->after(generations);
  const std::int64_t least_taken =
      std::max<std::int64_t>({generations / 2, tuning_.rows, 4 * kRowStep});
  const auto more = [&] { return tasks > 1 ? stretches_->take_half(least_taken) : nullptr; };
  const auto run = [&](int i) {
    const int task = first_ + i;
    const TaskMemory& memory_of_task = tasks_memory_[i];
    const auto start = std::chrono::steady_clock::now();
    if (far && task == 0) write(margins_.above);
    StripPass pass;
    pass.layout = &layout_;
    pass.seams = &seams_;
    pass.rule = rules.rule;
    pass.code = rules.code;
    pass.frame = memory_of_task.frame.get();
    if (rules.moves) {
      pass.planes =
          planes_for(*rules.moves, memory, windows ? memory_of_task.window.get() : nullptr);
    }
    pass.front = front_[0].get();
    pass.back = back_[0].get();
    pass.scratch = memory_of_task.scratch.get();
    pass.generations = generations;
    pass.rows = tuning_.rows;
    std::int64_t stepped = 0;
    if (far_below) pass.before_below = [&] { write(margins_.below); };
    Stretch& begun = (*stretches_)[task];
    for (pass.stretch = begun.start() ? &begun : more(); pass.stretch; pass.stretch = more()) {
      strip_pass(pass);
      stepped += pass.stretch->stepped();
    }
    const auto end = std::chrono::steady_clock::now();
    seconds_[static_cast<std::size_t>(task)] = std::chrono::duration<double>(end - start).count();
    stepped_[static_cast<std::size_t>(task)] = stepped;
  };
  if (own == 1) {
    run(0);
  } else if (own > 1) {
    helpers_->share(own, run);
  }
  if (crew_) crew_->meet();
  if (tasks > 1) {
    const auto count = static_cast<std::size_t>(tasks);
    std::vector<std::int64_t> ends{0};
    for (const std::int64_t rows_of_task : stepped_.first(count))
      ends.push_back(ends.back() + rows_of_task);
    shares_.learn(ends, 0, seconds_.first(count));
  }
  std::swap(front_, back_);
  if (!rules.moves) return;
  for (std::size_t p = 1; p < front_.size(); p++) {
    if (rules.moves->stays(static_cast<int>(p))) std::swap(front_[p], back_[p]);
  }
  if (windows) return;
  // Each plane lies in the buffer of its memory.
  std::vector<Cells> ended;
  for (std::size_t p = 0; p < front_.size(); p++)
    ended.push_back(std::move(front_[static_cast<std::size_t>(memory.back()[p])]));
  front_ = std::move(ended);
}

// Where the tasks of a pass over rows `first` and on begin. The last one steps rows below the grid,
// too.
std::vector<std::int64_t> StripGrid::cuts_of(std::int64_t first, std::int64_t rows, int generations,
                                             int tasks) const {
  const std::int64_t least = std::max(kLeastRows, rows / tasks / kLeast);
  std::vector<std::int64_t> cuts = shares_.cut(rows + generations, tasks, 0, least);
  for (int i = 0; i <= tasks; i++) {
    std::int64_t& cut = cuts[static_cast<std::size_t>(i)];
    cut = first + std::min(cut, rows - least * (tasks - i));
  }
  return cuts;
}

// Pages of stretches that never begin are not taken of the machine.
void StripGrid::make_handed() {
  const int planes = static_cast<int>(front_.size());
  const std::int64_t words = strip_handed_words(layout_, planes, tuning_.generations);
  const std::int64_t all = Stretches::most_of(tasks_) * words;
  handed_ = make_cells(all, all / 2);
  if (!leads()) return;
  stretches_->place(handed_.get(), words, strip_handed_rows(planes),
                    strip_handed_row_words(layout_));
}

StripPlanes StripGrid::planes_for(const PlaneMoves& moves, const std::vector<PlaneMemory>& memory,
                                  std::uint64_t* window) const {
  StripPlanes planes;
  planes.moves = &moves;
  planes.memory = memory.data();
  planes.window = window;
  for (std::size_t p = 1; p < front_.size(); p++) {
    planes.front[p] = front_[p].get();
    planes.back[p] = back_[p].get();
  }
  return planes;
}

void StripGrid::make_memory(const StripRules& rules, bool window, TaskMemory& memory) const {
  if (!memory.scratch) {
    memory.scratch = allocate(strip_scratch_words(layout_, tuning_.generations, tuning_.rows));
  }
  if (window && !memory.window) {
    memory.window = allocate(
        strip_window_words(layout_, rules.moves->planes(), tuning_.generations, tuning_.rows));
  }
  std::int64_t words = 0;
  for (const StripCode* code : rules.code)
    if (code) words = std::max(words, code->frame_words());
  if (words > memory.frame_words) memory.frame = allocate(words), memory.frame_words = words;
}

BitBlock StripGrid::block(int lane, std::int64_t y, std::int64_t i) const {
  BitBlock words{};
  const std::uint64_t* from = front_[0].get() + layout_.at(y, 64 * i) + lane;
  const std::int64_t columns = std::min<std::int64_t>(64, layout_.words - 64 * i);
  for (std::int64_t j = 0; j < columns; j++) words[j] = from[j * layout_.lanes];
  transpose(words);
  return words;
}

void StripGrid::set_block(int lane, std::int64_t y, std::int64_t i, BitBlock words) {
  transpose(words);
  std::uint64_t* to = front_[0].get() + layout_.at(y, 64 * i) + lane;
  const std::int64_t columns = std::min<std::int64_t>(64, layout_.words - 64 * i);
  for (std::int64_t j = 0; j < columns; j++) to[j * layout_.lanes] = words[j];
  opened(y, 1);
}

// Of a crew each process closes its part of all rows: others may have written any.
void StripGrid::close() {
  if (!crew_) {
    for (const auto& [first, end] : open_) close(first, end);
    open_.clear();
    return;
  }
  const bool opened = shared_->opened.load(std::memory_order_relaxed) != 0;
  if (opened) {
    const std::int64_t me = crew_->rank(), size = crew_->size(), rows = layout_.band_rows;
    close(rows * me / size, rows * (me + 1) / size);
  }
  crew_->meet();
  if (leads()) shared_->opened.store(0, std::memory_order_relaxed);
}

void StripGrid::close(std::int64_t first, std::int64_t end) {
  strip_close_rows(layout_, seams_, front_[0].get(), first, end);
}

std::int64_t StripGrid::step(std::int64_t generations, StripRules rules) {
  if (generations == 0) return 0;
  if (crew_ && leads()) shared_->generations = generations;
  close();
  if (crew_) generations = shared_->generations;
  std::int64_t left = generations;
  const auto passes = [&] {
    for (; left >= tuning_.generations; left -= tuning_.generations) {
      run_pass(rules, tuning_.generations, tasks_);
      if (tuning_.generations % 2 == 1) std::swap(rules.code[0], rules.code[1]);
    }
    if (left > 0) {
      const int rest = static_cast<int>(left);
      run_pass(rules, rest, plan_tasks(layout_, rest, tuning_.rows, tasks_));
    }
  };
  if (tasks_memory_.size() <= 1) {
    passes();  // small grids never wake a thread
  } else {
    if (!helpers_) helpers_ = std::make_unique<Crew>(static_cast<int>(tasks_memory_.size()));
    helpers_->gather(passes);
  }
  return generations;
}

BitGrid StripGrid::download(const Rect& rect, int plane) const {
  const std::uint64_t* buffer = front_[static_cast<std::size_t>(plane)].get();
  BitGrid out(rect.width, rect.height);
  BitGrid row(layout_.width, 1);
  const bool whole = rect.width == layout_.width;
  for (std::int64_t y = 0; y < rect.height; y++) {
    if (whole) {
      rows_.read(buffer, rect.y + y, out.row(y));
    } else {
      rows_.read(buffer, rect.y + y, row.row(0));
      out.paste(0, y, row.window({rect.x, 0, rect.width, 1}));
    }
  }
  return out;
}

void StripGrid::edit(const Cell& at, const BitGrid& cells, int plane) {
  std::uint64_t* buffer = front_[static_cast<std::size_t>(plane)].get();
  BitGrid row(layout_.width, 1);
  const bool whole = cells.width() == layout_.width;
  for (std::int64_t y = 0; y < cells.height(); y++) {
    if (whole) {
      rows_.write(buffer, at.y + y, cells.row(y));
      continue;
    }
    rows_.read(buffer, at.y + y, row.row(0));
    row.paste(at.x, 0, cells.window({0, y, cells.width(), 1}));
    rows_.write(buffer, at.y + y, row.row(0));
  }
  if (plane == 0) opened(at.y, cells.height());
}

std::string StripGrid::name() const { return fmt::format("strips of {} lanes", layout_.lanes); }

void StripGrid::read(std::int64_t y, std::span<std::uint64_t> rows) const {
  for (auto to = rows.begin(); to != rows.end(); y++)
    to = std::copy_n(front_[0].get() + layout_.at(y, 0), words(), to);
}

void StripGrid::write(std::int64_t y, std::span<const std::uint64_t> rows) {
  opened(y, std::ssize(rows) / words());
  for (auto from = rows.begin(); from != rows.end(); from += words(), y++)
    std::copy_n(from, words(), front_[0].get() + layout_.at(y, 0));
}

// One row of pixels at a time, so that at most `scale` rows of cells are in canonical form.
void StripGrid::view(const Rect& rect, std::int64_t scale, CellCounts& counts) const {
  for (std::int64_t py = 0; py < counts.height; py++) {
    const std::int64_t rows = std::min(scale, rect.height - py * scale);
    const BitGrid cells = download({rect.x, rect.y + py * scale, rect.width, rows});
    count_pixel_row(cells, {0, 0, rect.width, rows}, scale, counts.row(py));
  }
}

// Only the hash, and rectangles that cut rows, need the words of rows; all else is found in the
// layout as it is.
Survey StripGrid::survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                         std::int64_t row0) const {
  const std::int64_t end = rect.y + rect.height;
  if (!parts.hash && rect.width == layout_.width) {
    if (!parts.bounds) return survey_rows<true, false>(rect.y, end);
    return parts.population ? survey_rows<true, true>(rect.y, end)
                            : survey_rows<false, true>(rect.y, end);
  }
  Survey found;
  BitGrid row(layout_.width, 1);
  for (std::int64_t y = rect.y; y < end; y++) {
    rows_.read(front_[0].get(), y, row.row(0));
    Survey part = survey_cells(row, {rect.x, 0, rect.width, 1}, parts, column0, row0 + y);
    if (part.bounds) part.bounds = part.bounds->shifted(0, y);
    found += part;
  }
  return found;
}

// Whole rows `first` to `end` - 1. Columns of the bounds: all rows laid over each other, as one
// row. Rows: the first and last that are not empty.
template <bool kPopulation, bool kBounds>
Survey StripGrid::survey_rows(std::int64_t first, std::int64_t end) const {
  Survey found;
  const std::vector<std::uint64_t>& masks = rows_.cell_masks();
  std::vector<std::uint64_t> over(kBounds ? masks.size() : 0);
  std::int64_t ymin = layout_.height, ymax = -1;
  const int lanes = layout_.lanes;
  for (std::int64_t y = 0; y < layout_.band_rows; y++) {
    const std::uint64_t* words = front_[0].get() + layout_.at(y, 0);
    const auto row_of = [&](int lane) { return lane / layout_.segments * layout_.band_rows + y; };
    std::uint64_t wanted[kMaxLanes] = {}, live[kMaxLanes] = {}, any = 0;
    for (int lane = 0; lane < lanes; lane++) {
      wanted[lane] = row_of(lane) >= first && row_of(lane) < end ? ~std::uint64_t{0} : 0;
      any |= wanted[lane];
    }
    if (any == 0) continue;
    for (std::size_t i = 0; i < masks.size(); i += static_cast<std::size_t>(lanes)) {
      for (int lane = 0; lane < lanes; lane++) {
        const std::uint64_t cells = words[i + lane] & masks[i + lane] & wanted[lane];
        if constexpr (kPopulation) found.population += std::popcount(cells);
        if constexpr (kBounds) over[i + lane] |= cells, live[lane] |= cells;
      }
    }
    if constexpr (kBounds) {
      for (int lane = 0; lane < lanes; lane++) {
        if (live[lane] == 0) continue;
        ymin = std::min(ymin, row_of(lane));
        ymax = std::max(ymax, row_of(lane));
      }
    }
  }
  if (ymax >= 0) found.bounds = bounds_of(over, ymin, ymax);
  return found;
}

// Reads the overlay back through the layout: bands side by side in one buffer of a single vector
// row.
std::optional<Bounds> StripGrid::bounds_of(const std::vector<std::uint64_t>& over,
                                           std::int64_t ymin, std::int64_t ymax) const {
  BitGrid columns(layout_.width, 1), row(layout_.width, 1);
  StripLayout overlay = layout_;
  overlay.margin_top = overlay.margin_bottom = 0;
  std::vector<std::uint64_t> buffer(static_cast<std::size_t>(layout_.stride * layout_.lanes));
  overlay.band_rows = 1;
  overlay.height = overlay.bands;
  std::copy(over.begin(), over.end(), buffer.begin() + overlay.at(0, 0));
  const StripRows rows(overlay);
  for (int band = 0; band < overlay.bands; band++) {
    rows.read(buffer.data(), band, row.row(0));
    for (std::int64_t i = 0; i < row.words_per_row(); i++) columns.row(0)[i] |= row.row(0)[i];
  }
  const Bounds box = *columns.bounds();
  return Bounds{box.xmin, ymin, box.xmax, ymax};
}

}  // namespace tessera
