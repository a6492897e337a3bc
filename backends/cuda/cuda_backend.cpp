#include "backends/cuda/cuda_backend.h"

#include <algorithm>
#include <limits>

#include "backends/cuda/cuda_tiles.h"
#include "backends/gpu/pieces.h"
#include "core/base/error.h"
#include "core/base/memory_text.h"

namespace tessera::cuda {

namespace {

constexpr std::int64_t kMostStaging = std::int64_t{32} << 20;
constexpr std::int64_t kLeastStaging = std::int64_t{64} << 10;
constexpr std::int64_t kBytesAPixel = 8;  // a count
constexpr int kMostPlanes = 16;
constexpr std::int64_t kTables = std::int64_t{4} << kMostPlanes;  // two tables of states at most
constexpr std::int64_t kMostRowBlocks = 65536;                    // of a launch that moves rows

// Bytes for lines of cells, as many of them as fit.
std::int64_t lines_bytes(std::int64_t line, std::int64_t lines) {
  line = std::min(line, kMostStaging);
  return line * std::min(lines, kMostStaging / line + 1);
}

// Room for the grid's words, and for a picture of it in one piece.
std::int64_t staging_bytes(const Grid& grid) {
  const std::int64_t words = lines_bytes(8 * grid.words, grid.height);
  const std::int64_t pixels = lines_bytes(kBytesAPixel * grid.width, grid.height);
  return std::clamp(std::max(words, pixels), kLeastStaging, kMostStaging);
}

Box box_of(const Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

}  // namespace

std::int64_t CudaBackend::bytes_needed(const Stepper& stepper) {
  return 2 * stepper.grid().storage + stepper.extra_bytes() + staging_bytes(stepper.grid()) +
         static_cast<std::int64_t>(sizeof(Findings)) + (stepper.planes() > 1 ? kTables : 0);
}

CudaBackend::CudaBackend(const BackendSpec& spec, BackendInfo info,
                         std::shared_ptr<const CudaDevice> device, std::shared_ptr<Stepper> stepper)
    : StepBackend(spec, std::move(info)),
      device_(std::move(device)),
      stream_(device_),
      stepper_(std::move(stepper)),
      look_(spec.width, spec.height,
            [this](const PixelSpans& pixels) -> std::unique_ptr<LookRoom> {
              if (PixelView::bytes_needed(pixels) > device_->memory().free) return nullptr;
              return std::make_unique<PixelView>(device_, stream_, *services_, stepper_->grid(),
                                                 cells_, pixels);
            }),
      mail_(device_, stream_, stepper_, row_moves()) {
  if (spec.tiles) return;  // there will be no grid
  const Current current(*device_);
  const Grid& grid = stepper_->grid();
  const std::int64_t needed = bytes_needed(*stepper_), free = device_->memory().free;
  if (needed > free) {
    throw UnsupportedError("a grid of " + std::to_string(spec.width) + "x" +
                           std::to_string(spec.height) + " cells needs " + memory_text(needed) +
                           " with kernel " + this->info().kernel + "; " + memory_text(free) +
                           " are free on " + device_->facts().name);
  }
  cells_.front = DeviceMemory(device_, stream_, grid.storage, "the cells");
  cells_.back = DeviceMemory(device_, stream_, grid.storage, "the next generation");
  staging_ = DeviceMemory(device_, stream_, staging_bytes(grid), "transfers");
  survey_ = DeviceMemory(device_, stream_, sizeof(Findings), "results");
  services_ = std::make_unique<Module>(device_, stepper_->services());
  make_soup_ = services_->function("make_soup");
  paste_ = services_->function("paste");
  cut_out_ = services_->function("cut_out");
  survey_kernel_ = services_->function("survey");
  count_pixels_ = services_->function("count_pixels");
  meet_ = services_->function("meet");
  if (stepper_->planes() > 1) make_tables();
  if (stepper_->own_row_words() > 0) {
    pack_rows_ = services_->function("pack_rows");
    unpack_rows_ = services_->function("unpack_rows");
    trade_rows_ = services_->function("trade_rows");
  }
  stepper_->prepare(device_, stream_);
  stepper_->cells_changed();
  stream_.synchronize("clearing the grid");
}

// How states become codes of planes, and codes states.
void CudaBackend::make_tables() {
  soup_states_ = services_->function("soup_states");
  recode_ = services_->function("recode");
  hash_planes_ = services_->function("hash_planes");
  std::vector<std::uint16_t> codes = stepper_->codes();
  std::vector<std::uint16_t> states(std::size_t{1} << stepper_->planes());
  for (std::size_t state = 0; state < codes.size(); state++)
    states[codes[state]] = static_cast<std::uint16_t>(state);
  codes.resize(std::size_t{1} << spec().rule.planes());
  const auto keep = [&](const std::vector<std::uint16_t>& values, const char* what) {
    return table_on_device(device_, stream_, values.data(),
                           static_cast<std::int64_t>(values.size() * sizeof values[0]), what);
  };
  codes_ = keep(codes, "the codes of states");
  states_ = keep(states, "the states of codes");
}

// Staged planes of canonical words become those of the stepper, or the other way round.
void CudaBackend::recode(CUdeviceptr staged, std::int64_t words, int from, int to,
                         const DeviceMemory& values) {
  launch(recode_, {blocks_for(*device_, words, kServiceThreads), kServiceThreads}, stream_,
         "recode", staged, static_cast<i64>(words), static_cast<u32>(from), static_cast<u32>(to),
         values.at());
}

// Canonical words of every plane that fit the staging memory.
std::int64_t CudaBackend::staged_words() const {
  return staging_.bytes() / 8 / std::max(stepper_->planes(), spec().rule.planes());
}

std::int64_t CudaBackend::rows_at_a_time() const {
  return staged_words() / ceil_div(spec().width, 64);
}

CUdeviceptr CudaBackend::rows_as_words(std::int64_t y, std::int64_t rows) {
  const Current current(*device_);
  stage({{0, y, spec().width, rows}, ceil_div(spec().width, 64), 0}, staging_.at());
  stream_.synchronize("reading cells on the device");
  return staging_.at();
}

CUdeviceptr CudaBackend::plane_at(int plane) const {
  return cells_.front.at() +
         static_cast<CUdeviceptr>(plane * (stepper_->grid().storage / stepper_->planes()));
}

CUdeviceptr CudaBackend::staged_at(std::int64_t words, int plane) const {
  return staging_.at() + static_cast<CUdeviceptr>(8 * words * plane);
}

// The staged words of each of the stepper's planes go into its cells.
void CudaBackend::paste_staged(const gpu::WordPiece& piece) {
  for (int p = 0; p < stepper_->planes(); p++)
    paste(box_of(piece.cells), staged_at(piece.count(), p), plane_at(p));
}

// The cells of a piece as canonical planes from `to` on, which is staging memory.
void CudaBackend::stage(const gpu::WordPiece& piece, CUdeviceptr to) {
  for (int p = 0; p < stepper_->planes(); p++) {
    launch(cut_out_, {blocks_for(*device_, piece.count(), kServiceThreads), kServiceThreads},
           stream_, "cut_out", stepper_->grid(), plane_at(p), box_of(piece.cells),
           to + static_cast<CUdeviceptr>(8 * piece.count() * p), static_cast<i64>(piece.words));
  }
  if (stepper_->planes() > 1)
    recode(to, piece.count(), stepper_->planes(), spec().rule.planes(), states_);
}

RowMoves CudaBackend::row_moves() {
  const auto move = [this](bool out) {
    return [this, out](const RowForm& form, std::int64_t y, std::int64_t rows, CUdeviceptr packed) {
      const Grid& grid = stepper_->grid();
      const Box box = box_of({0, y, spec().width, rows});
      if (form.own) {
        const i64 columns = stepper_->own_row_words();
        const LaunchShape shape{std::min<std::int64_t>(columns, kMostRowBlocks), kServiceThreads};
        launch(out ? pack_rows_ : unpack_rows_, shape, stream_, out ? "pack_rows" : "unpack_rows",
               grid, cells_.front.at(), static_cast<i64>(y), static_cast<i64>(rows), columns,
               packed);
      } else if (out) {
        launch(cut_out_,
               {blocks_for(*device_, grid.words * rows, kServiceThreads), kServiceThreads}, stream_,
               "cut_out", grid, cells_.front.at(), box, packed, static_cast<i64>(grid.words));
      } else {
        paste(box, packed, cells_.front.at());
      }
      if (!out) stepper_->cells_changed();
    };
  };
  return {{false, 8 * stepper_->grid().words},
          {true, 4 * stepper_->own_row_words()},
          stepper_->row_layout(),
          move(true),
          move(false),
          [this](const RowTrade& trade) {
            constexpr unsigned kRowThreads = 128;
            launch_overlapping(trade_rows_,
                               {blocks_for(*device_, 32 * trade.columns, kRowThreads), kRowThreads},
                               stream_, "trade_rows", stepper_->grid(), cells_.front.at(), trade);
          },
          [this](const std::array<CUdeviceptr, 2>& theirs, const std::array<CUdeviceptr, 2>& own,
                 u32 meeting) {
            launch_overlapping(meet_, {1, 32}, stream_, "meet", theirs[0], theirs[1], own[0],
                               own[1], meeting);
          },
          cells_};
}

// Members free what they hold, so everything that is still running is waited for first.
CudaBackend::~CudaBackend() { stream_.drain(); }

std::unique_ptr<TileDevice> CudaBackend::tile_device() {
  return std::make_unique<CudaTiles>(device_, spec());
}

void CudaBackend::paste(const Box& piece, CUdeviceptr words, CUdeviceptr plane) {
  launch(paste_,
         {blocks_for(*device_, ceil_div(piece.width, 8) * piece.height, kServiceThreads),
          kServiceThreads},
         stream_, "paste", stepper_->grid(), plane, piece, words,
         static_cast<i64>(ceil_div(piece.width, 64)));
}

void CudaBackend::do_upload(const CellGrid& cells) { do_edit({0, 0}, cells); }

void CudaBackend::do_edit(const Cell& at, const CellGrid& grid) {
  const Current current(*device_);
  const Rect rect{at.x, at.y, grid.width(), grid.height()};
  gpu::for_each_word_piece(rect, staged_words(), [&](const gpu::WordPiece& piece) {
    for (int p = 0; p < grid.planes(); p++) {
      TESSERA_CUDA("copying cells to the device", cuMemcpyHtoDAsync, staged_at(piece.count(), p),
                   grid.plane(p).words().data() + piece.first,
                   static_cast<std::size_t>(piece.count() * 8), stream_.get());
    }
    if (stepper_->planes() > 1)
      recode(staging_.at(), piece.count(), grid.planes(), stepper_->planes(), codes_);
    paste_staged(piece);
  });
  stepper_->cells_changed();
  // The caller may free or change its grid now.
  stream_.synchronize("copying cells to the device");
}

void CudaBackend::do_fill(const Soup& soup, std::int64_t y, std::int64_t rows,
                          std::uint64_t index) {
  const Current current(*device_);
  const Rect rect{0, y, spec().width, rows};
  gpu::for_each_word_piece(rect, staged_words(), [&](const gpu::WordPiece& piece) {
    launch(make_soup_, {blocks_for(*device_, piece.count(), kServiceThreads), kServiceThreads},
           stream_, "make_soup", staging_.at(),
           static_cast<u64>(index + static_cast<u64>(piece.first)), static_cast<i64>(piece.count()),
           static_cast<u64>(soup.seed), static_cast<u32>(soup.density));
    if (stepper_->planes() > 1) {
      const int planes = spec().rule.planes();
      launch(soup_states_, {blocks_for(*device_, piece.count(), kServiceThreads), kServiceThreads},
             stream_, "soup_states", staging_.at(),
             static_cast<u64>(index + static_cast<u64>(piece.first)),
             static_cast<i64>(piece.count()), static_cast<u64>(soup.seed),
             static_cast<u32>(soup.states), static_cast<u32>(planes));
      recode(staging_.at(), piece.count(), planes, stepper_->planes(), codes_);
    }
    paste_staged(piece);
  });
  stepper_->cells_changed();
}

CellGrid CudaBackend::do_download(const Rect& rect) {
  const Current current(*device_);
  CellGrid out(rect.width, rect.height, spec().rule.planes());
  gpu::for_each_word_piece(rect, staged_words(), [&](const gpu::WordPiece& piece) {
    stage(piece, staging_.at());
    for (int p = 0; p < out.planes(); p++) {
      TESSERA_CUDA("copying cells from the device", cuMemcpyDtoHAsync,
                   out.plane(p).words().data() + piece.first, staged_at(piece.count(), p),
                   static_cast<std::size_t>(piece.count() * 8), stream_.get());
    }
    stream_.synchronize("copying cells from the device");
  });
  return out;
}

// One behind the other in the staging memory, where they fit: one copy and one wait.
std::vector<CellGrid> CudaBackend::do_downloads(std::span<const Rect> rects) {
  const auto words_of = [](const Rect& rect) { return ceil_div(rect.width, 64) * rect.height; };
  const std::int64_t planes = std::max(stepper_->planes(), spec().rule.planes());
  std::int64_t words = 0;
  for (const Rect& rect : rects) words += words_of(rect);
  if (rects.size() < 2 || words > staged_words()) return StepBackend::do_downloads(rects);
  const Current current(*device_);
  std::int64_t at = 0;
  for (const Rect& rect : rects) {
    stage({rect, ceil_div(rect.width, 64), 0}, staging_.at() + static_cast<CUdeviceptr>(8 * at));
    at += planes * words_of(rect);
  }
  std::vector<std::uint64_t> staged(static_cast<std::size_t>(at));
  TESSERA_CUDA("copying cells from the device", cuMemcpyDtoHAsync, staged.data(), staging_.at(),
               staged.size() * 8, stream_.get());
  stream_.synchronize("copying cells from the device");
  std::vector<CellGrid> all;
  const std::uint64_t* from = staged.data();
  for (const Rect& rect : rects) {
    CellGrid& out = all.emplace_back(rect.width, rect.height, spec().rule.planes());
    for (int p = 0; p < out.planes(); p++)
      std::copy_n(from + p * words_of(rect), words_of(rect), out.plane(p).words().data());
    from += planes * words_of(rect);
  }
  return all;
}

void CudaBackend::do_step(std::int64_t generations) {
  const Current current(*device_);
  if (spec().odd_rule) stepper_->begin(begins_odd());
  const auto step = [&] { stepper_->step(cells_, generations, stream_); };
  // The launches of a band, which steps few generations at a time, overlap from one step to the
  // next, but not with events between them.
  if (spec().halo_rows > 0) return step();
  clock_.time(step);
}

void CudaBackend::do_synchronize() {
  const Current current(*device_);
  stream_.synchronize("stepping with kernel " + info().kernel);
}

std::optional<double> CudaBackend::do_device_seconds() {
  if (spec().halo_rows > 0) return std::nullopt;
  const Current current(*device_);
  return clock_.seconds();
}

Survey CudaBackend::do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                              std::int64_t row0) {
  const Current current(*device_);
  constexpr i64 kFar = std::numeric_limits<i64>::max();
  Findings found{0, 0, kFar, kFar, -1, -1};
  TESSERA_CUDA("preparing results", cuMemcpyHtoDAsync, survey_.at(), &found, sizeof found,
               stream_.get());
  const u32 wanted = (parts.population ? kFindPopulation : 0) | (parts.bounds ? kFindBounds : 0) |
                     (parts.hash && stepper_->planes() == 1 ? kFindHash : 0);
  const i64 words = ceil_div(rect.x % 64 + rect.width, 64) * rect.height;
  launch(survey_kernel_, {blocks_for(*device_, words, kServiceThreads), kServiceThreads}, stream_,
         "survey", stepper_->grid(), cells_.front.at(), box_of(rect), wanted,
         static_cast<i64>(column0), static_cast<i64>(row0), survey_.at());
  if (parts.hash && stepper_->planes() > 1) hash_states(rect, column0, row0);
  TESSERA_CUDA("reading results", cuMemcpyDtoHAsync, &found, survey_.at(), sizeof found,
               stream_.get());
  stream_.synchronize("counting live cells");
  Survey survey;
  if (parts.population) survey.population = static_cast<std::int64_t>(found.population);
  if (parts.bounds && found.population > 0) {
    survey.bounds = Bounds{found.xmin, found.ymin, found.xmax, found.ymax};
  }
  survey.hash = found.hash;
  return survey;
}

// Adds the hash of `rect` to the results, from words that begin where the grid's do.
void CudaBackend::hash_states(const Rect& rect, std::int64_t column0, std::int64_t row0) {
  const std::int64_t left = rect.x % 64;
  const Rect aligned{rect.x - left, rect.y, rect.width + left, rect.height};
  gpu::for_each_word_piece(aligned, staged_words(), [&](const gpu::WordPiece& piece) {
    stage(piece, staging_.at());
    const u64 first = piece.cells.x == aligned.x ? ~u64{0} << left : ~u64{0};
    launch(hash_planes_, {blocks_for(*device_, piece.count(), kServiceThreads), kServiceThreads},
           stream_, "hash_planes", staging_.at(), static_cast<i64>(piece.words),
           static_cast<i64>(piece.cells.height), static_cast<u32>(spec().rule.planes()), first,
           static_cast<i64>(column0 + piece.cells.x / 64), static_cast<i64>(row0 + piece.cells.y),
           survey_.at());
  });
}

void CudaBackend::do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  const Current current(*device_);
  gpu::for_each_piece(
      counts.width, counts.height, staging_.bytes() / kBytesAPixel, [&](const Rect& pixels) {
        const auto bytes = static_cast<std::size_t>(pixels.width * pixels.height * kBytesAPixel);
        const Box box = box_of(gpu::cells_under(pixels, rect, scale, scale));
        TESSERA_CUDA("clearing a picture", cuMemsetD8Async, staging_.at(),
                     static_cast<unsigned char>(0), bytes, stream_.get());
        const i64 items = ceil_div(box.width, 64) * ceil_div(box.height, std::min<i64>(scale, 32));
        launch(count_pixels_, {blocks_for(*device_, items, kServiceThreads), kServiceThreads},
               stream_, "count_pixels", stepper_->grid(), cells_.front.at(), box,
               static_cast<i64>(scale), static_cast<i64>(pixels.width), staging_.at());
        TESSERA_CUDA("copying a picture", cuMemcpyDtoHAsync, counts.row(pixels.y) + pixels.x,
                     staging_.at(), bytes, stream_.get());
        stream_.synchronize("copying a picture");
      });
}

void CudaBackend::check_guards() {
  const Current current(*device_);
  for (const LookRoom* room : {look_.greys_room(), look_.ages_room()}) {
    if (room) static_cast<const PixelView*>(room)->check_guards();
  }
  for (const DeviceMemory* memory : {&cells_.front, &cells_.back, &staging_, &survey_})
    memory->check_guards(stream_);
  for (const DeviceMemory* table : {&codes_, &states_}) {
    if (table->bytes() > 0) table->check_guards(stream_);
  }
  stepper_->check_guards(stream_);
}

}  // namespace tessera::cuda
