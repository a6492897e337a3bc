#include "backends/cpu/simd_backend.h"

#include <algorithm>
#include <bit>
#include <string>
#include <thread>
#include <utility>

#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/strip_plan.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"

namespace tessera {

namespace {

const std::vector<int>& candidates(const KernelInfo& info, const std::string& field) {
  for (const TuningRange& range : info.ranges) {
    if (range.field == field) return range.values;
  }
  throw InputError("kernel " + info.name + " has no tuning field '" + field + "'");
}

void check(const KernelInfo& info, const char* field, int value) {
  const std::vector<int>& values = candidates(info, field);
  if (value == 0 || std::find(values.begin(), values.end(), value) != values.end()) return;
  std::string accepted;
  for (const int v : values) accepted += (accepted.empty() ? "" : ", ") + std::to_string(v);
  throw InputError("kernel simd: tuning " + std::string(field) + "=" + std::to_string(value) +
                   "; accepted are " + accepted);
}

int all_threads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

// Threads that can run at once: more tasks than that would only compute more rows twice.
int usable_threads(const Tuning& tuning) {
  return tuning.threads == 0 ? all_threads() : std::min(tuning.threads, all_threads());
}

StripPlan plan_for(const BackendSpec& spec, Tuning tuning) {
  tuning.threads = usable_threads(tuning);
  return plan_strips(spec, strip_lanes(), tuning);
}

Tuning resolved(const BackendSpec& spec, Tuning tuning) {
  const KernelInfo info = SimdBackend::kernel_info();
  check(info, "generations", tuning.generations);
  check(info, "rows", tuning.rows);
  check(info, "group", tuning.group);
  tuning.words = 0;
  if (tuning.threads == 0) tuning.threads = all_threads();
  const StripPlan plan = plan_for(spec, tuning);
  tuning.generations = plan.generations;
  tuning.rows = plan.rows;
  tuning.group = plan.segments;
  return tuning;
}

StripLayout layout_for(const BackendSpec& spec, const Tuning& tuning) {
  return StripLayout::of(spec, strip_lanes(), tuning.group, tuning.generations);
}

}  // namespace

KernelInfo SimdBackend::kernel_info() {
  std::vector<int> segments;
  for (int s = 1; s <= strip_lanes(); s *= 2) segments.push_back(s);
  return {"simd",
          "vectors of strips, eight gates a word, several generations a pass, bands over threads",
          {{"generations", strip_generations()}, {"rows", strip_rows()}, {"group", segments}}};
}

const char* SimdBackend::target_name() { return strip_target(); }

std::int64_t SimdBackend::bytes_needed(const BackendSpec& spec) {
  const Tuning tuning = resolved(spec, {});
  const StripLayout layout = layout_for(spec, tuning);
  const std::int64_t scratch = strip_scratch_words(layout, tuning.generations, tuning.rows);
  return 8 * (2 * layout.buffer_words() + tuning.threads * scratch);
}

double SimdBackend::expected_seconds(const BackendSpec& spec, const Tuning& tuning) {
  return plan_for(spec, tuning).nanoseconds * 1e-9;
}

SimdBackend::SimdBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning)
    : StepBackend(spec,
                  [&] {
                    info.tuning = resolved(spec, tuning);
                    return std::move(info);
                  }()),
      tuning_(this->info().tuning),
      layout_(layout_for(spec, tuning_)),
      seams_(layout_),
      rows_(layout_),
      margins_(layout_, tuning_.generations),
      front_(hwy::AllocateAligned<std::uint64_t>(static_cast<std::size_t>(layout_.buffer_words()))),
      back_(hwy::AllocateAligned<std::uint64_t>(static_cast<std::size_t>(layout_.buffer_words()))),
      tasks_(plan_tasks(layout_, tuning_.generations, tuning_.rows, usable_threads(tuning_))),
      scratch_(static_cast<std::size_t>(tasks_)) {
  if (!front_ || !back_) throw std::bad_alloc();
  std::fill_n(front_.get(), layout_.buffer_words(), 0);
  std::fill_n(back_.get(), layout_.buffer_words(), 0);
}

void SimdBackend::do_upload(const BitGrid& grid) {
  for (std::int64_t y = 0; y < grid.height(); y++) rows_.write(front_.get(), y, grid.row(y));
  closed_ = false;
}

// A row at a time: the soup never exists as a whole grid beside the buffers.
void SimdBackend::do_fill(const Soup& soup) {
  BitGrid row(layout_.width, 1);
  std::uint64_t index = 0;
  for (std::int64_t y = 0; y < layout_.height; y++) {
    for (std::uint64_t& word : row.words()) word = soup.word(index++);
    row.clear_padding();
    rows_.write(front_.get(), y, row.row(0));
  }
  closed_ = false;
}

void SimdBackend::run_pass(int generations, int tasks) {
  const auto write = [&](const std::vector<MarginRow>& margins) {
    strip_write_margins(layout_, margins, generations, front_.get());
  };
  write(margins_.inside);
  // Where only the first and the last task come across the margins above and below, they write
  // them: the way from one core's cache to another's is long.
  const bool far = layout_.band_rows / tasks >= generations + kRowStep;
  if (!far) write(margins_.above), write(margins_.below);
  for (int task = 0; task < tasks; task++) {
    if (scratch_[task]) continue;
    const auto words =
        static_cast<std::size_t>(strip_scratch_words(layout_, tuning_.generations, tuning_.rows));
    scratch_[task] = hwy::AllocateAligned<std::uint64_t>(words);
    if (!scratch_[task]) throw std::bad_alloc();
    std::fill_n(scratch_[task].get(), words, 0);
  }
  const auto run = [&](int task) {
    if (far && task == 0) write(margins_.above);
    if (far && task == tasks - 1) write(margins_.below);
    StripPass pass;
    pass.layout = &layout_;
    pass.seams = &seams_;
    pass.rule = spec().rule;
    pass.front = front_.get();
    pass.back = back_.get();
    pass.scratch = scratch_[task].get();
    pass.first = layout_.band_rows * task / tasks;
    pass.last = layout_.band_rows * (task + 1) / tasks;
    pass.generations = generations;
    pass.rows = tuning_.rows;
    strip_pass(pass);
  };
  if (tasks == 1) {
    run(0);
  } else {
    crew_->share(tasks, run);
  }
  std::swap(front_, back_);
}

void SimdBackend::do_step(std::int64_t generations) {
  if (!closed_) {
    strip_close_rows(layout_, seams_, front_.get(), 0, layout_.band_rows);
    closed_ = true;
  }
  const auto passes = [&] {
    for (; generations >= tuning_.generations; generations -= tuning_.generations) {
      run_pass(tuning_.generations, tasks_);
    }
    if (generations > 0) {
      const int rest = static_cast<int>(generations);
      run_pass(rest, plan_tasks(layout_, rest, tuning_.rows, tasks_));
    }
  };
  if (tasks_ == 1) {
    passes();  // small grids never wake a thread
  } else {
    if (!crew_) crew_ = std::make_unique<Crew>(tasks_);
    crew_->gather(passes);
  }
}

BitGrid SimdBackend::do_download(const Rect& rect) {
  BitGrid out(rect.width, rect.height);
  BitGrid row(layout_.width, 1);
  const bool whole = rect.width == layout_.width;
  for (std::int64_t y = 0; y < rect.height; y++) {
    if (whole) {
      rows_.read(front_.get(), rect.y + y, out.row(y));
    } else {
      rows_.read(front_.get(), rect.y + y, row.row(0));
      out.paste(0, y, row.window({rect.x, 0, rect.width, 1}));
    }
  }
  return out;
}

void SimdBackend::do_edit(const Cell& at, const BitGrid& cells) {
  BitGrid row(layout_.width, 1);
  for (std::int64_t y = 0; y < cells.height(); y++) {
    rows_.read(front_.get(), at.y + y, row.row(0));
    row.paste(at.x, 0, cells.window({0, y, cells.width(), 1}));
    rows_.write(front_.get(), at.y + y, row.row(0));
  }
  closed_ = false;
}

// One row of pixels at a time: never more than `scale` rows of cells in canonical form.
void SimdBackend::do_view(const Rect& rect, std::int64_t scale, DensityImage& image) {
  DensityImage line;
  for (std::int64_t py = 0; py < image.height; py++) {
    const std::int64_t rows = std::min(scale, rect.height - py * scale);
    const BitGrid cells = do_download({rect.x, rect.y + py * scale, rect.width, rows});
    reduce_density(cells, {0, 0, rect.width, rows}, scale, line);
    std::copy(line.pixels.begin(), line.pixels.end(), image.pixels.begin() + py * image.width);
  }
}

std::int64_t SimdBackend::do_population() {
  std::int64_t count = 0;
  const std::vector<std::uint64_t>& masks = rows_.cell_masks();
  for (std::int64_t y = 0; y < layout_.band_rows; y++) {
    const std::uint64_t* row = front_.get() + layout_.at(y, 0);
    const bool partly = layout_.partly_outside(y);
    for (std::size_t i = 0; i < masks.size(); i++) {
      const std::int64_t band = static_cast<std::int64_t>(i) % layout_.lanes / layout_.segments;
      if (partly && band * layout_.band_rows + y >= layout_.height) continue;
      count += std::popcount(row[i] & masks[i]);
    }
  }
  return count;
}

std::optional<Bounds> SimdBackend::do_bounds() {
  // Columns: all rows of the grid laid over each other, as one row. Rows: the first and last that
  // are not empty.
  const std::vector<std::uint64_t>& masks = rows_.cell_masks();
  BitGrid columns(layout_.width, 1), row(layout_.width, 1);
  std::vector<std::uint64_t> over(masks.size());
  std::int64_t ymin = layout_.height, ymax = -1;
  for (std::int64_t y = 0; y < layout_.band_rows; y++) {
    const std::uint64_t* words = front_.get() + layout_.at(y, 0);
    std::uint64_t live[kMaxLanes] = {};
    for (std::size_t i = 0; i < masks.size(); i += layout_.lanes) {
      for (int lane = 0; lane < layout_.lanes; lane++) {
        const std::int64_t absolute = lane / layout_.segments * layout_.band_rows + y;
        if (absolute >= layout_.height) continue;
        const std::uint64_t cells = words[i + lane] & masks[i + lane];
        over[i + lane] |= cells;
        live[lane] |= cells;
      }
    }
    for (int lane = 0; lane < layout_.lanes; lane++) {
      if (live[lane] == 0) continue;
      const std::int64_t absolute = lane / layout_.segments * layout_.band_rows + y;
      ymin = std::min(ymin, absolute);
      ymax = std::max(ymax, absolute);
    }
  }
  if (ymax < 0) return std::nullopt;
  // Read the overlay back through the layout: bands side by side in one buffer of a single vector
  // row.
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

std::uint64_t SimdBackend::do_hash(std::int64_t column0, std::int64_t row0) {
  std::uint64_t sum = 0;
  BitGrid row(layout_.width, 1);
  for (std::int64_t y = 0; y < layout_.height; y++) {
    rows_.read(front_.get(), y, row.row(0));
    sum += state_hash(row, column0, row0 + y);
  }
  return sum;
}

}  // namespace tessera
