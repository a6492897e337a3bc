#include <fmt/format.h>
#include <zstd.h>

#include <array>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/atomic_file.h"
#include "core/files/checkpoint.h"
#include "core/files/checkpoint_format.h"
#include "core/files/checkpoint_header.h"

namespace tessera {
namespace {

// The fastest of Zstandard's levels that still compresses by a model; it keeps up with disks.
constexpr int kCompression = 1;

// Bytes go to the file and into the checksum.
class Output {
 public:
  explicit Output(const std::string& path) : file_(path) {}

  void write(const void* data, std::size_t bytes) {
    file_.write(data, bytes);
    checksum_.add(data, bytes);
  }
  template <class Unsigned>
  void write_number(Unsigned value) {
    write(little_endian(value).data(), sizeof value);
  }
  void write_checksum() { write_number(checksum_.value()); }
  void begin_section(std::string_view type, std::size_t bytes) {
    write(type.data(), type.size());
    write_number(static_cast<std::uint32_t>(bytes));
  }
  void commit() { file_.commit(OldFile::keep_previous); }

 private:
  AtomicFile file_;
  Checksum checksum_;
};

// Gathers pieces until they fill a section for each plane.
class Batch {
 public:
  Batch(Output& out, const CheckpointHeader& header, std::string name)
      : out_(out),
        extent_(header.extent),
        name_(std::move(name)),
        context_(ZSTD_createCCtx(), &ZSTD_freeCCtx),
        words_(static_cast<std::size_t>(header.planes)) {
    if (!context_) throw std::bad_alloc();
  }

  void add(const Piece& piece) {
    const Rect rect = piece.rect();
    if (!lies_within(rect, extent_) || piece.cells.planes() != static_cast<int>(words_.size())) {
      throw InputError(fmt::format(
          "{}: a checkpoint takes pieces of {} bit planes that lie in its extent; one of {}x{} "
          "cells at ({}, {}) has {}",
          name_, words_.size(), rect.width, rect.height, rect.x, rect.y, piece.cells.planes()));
    }
    const Bands bands(rect);
    for (std::int64_t i = 0; i < bands.count(); i++) {
      const Rect band = bands.at(i);
      if (band == rect) {
        add_band(band, piece.cells);
      } else {
        add_band(band,
                 piece.cells.window({band.x - rect.x, band.y - rect.y, band.width, band.height}));
      }
    }
  }

  // Writes the sections of what has been gathered.
  void flush() {
    if (words_.front().empty()) return;
    for (std::size_t plane = 0; plane < words_.size(); plane++) write_plane(plane);
  }

  std::uint64_t pieces() const { return pieces_; }

 private:
  // Dead pieces are left out: what no piece covers is dead.
  void add_band(const Rect& band, const CellGrid& cells) {
    if (cells.population() == 0) return;
    const std::size_t size = kPlaceWords + cells.plane(0).words().size();
    if (words_.front().size() + size > kMaxBatchWords) flush();
    for (std::size_t plane = 0; plane < words_.size(); plane++) {
      std::vector<std::uint64_t>& to = words_[plane];
      to.insert(to.end(), {static_cast<std::uint64_t>(band.x), static_cast<std::uint64_t>(band.y),
                           static_cast<std::uint64_t>(band.width) |
                               static_cast<std::uint64_t>(band.height) << 32});
      const std::span<const std::uint64_t> words = cells.plane(static_cast<int>(plane)).words();
      to.insert(to.end(), words.begin(), words.end());
    }
    pieces_++;
  }

  void write_plane(std::size_t plane) {
    const std::span<std::uint64_t> words(words_[plane]);
    swap_unless_little_endian(words);
    frame_.resize(ZSTD_compressBound(words.size_bytes()));
    const std::size_t size = ZSTD_compressCCtx(context_.get(), frame_.data(), frame_.size(),
                                               words.data(), words.size_bytes(), kCompression);
    if (ZSTD_isError(size)) {
      throw FileError(fmt::format("{}: cannot compress: {}", name_, ZSTD_getErrorName(size)));
    }
    out_.begin_section(kPlaneSection, 2 * sizeof(std::uint32_t) + size);
    out_.write_number(static_cast<std::uint32_t>(plane));
    out_.write_number(static_cast<std::uint32_t>(words.size_bytes()));
    out_.write(frame_.data(), size);
    out_.write_checksum();
    words_[plane].clear();
  }

  Output& out_;
  Rect extent_;
  std::string name_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
  std::vector<std::vector<std::uint64_t>> words_;  // of each plane
  std::vector<char> frame_;
  std::uint64_t pieces_ = 0;
};

void write_header(Output& out, const CheckpointHeader& header) {
  const std::string text = to_string(header);
  out.write(kCheckpointMagic.data(), kCheckpointMagic.size());
  out.write_number(kCheckpointVersion);
  out.write_number(static_cast<std::uint32_t>(text.size()));
  out.write(text.data(), text.size());
  out.write_checksum();
}

}  // namespace

void write_checkpoint(const std::string& path, const CheckpointInfo& info, PieceSource& cells) {
  const Rect extent = cells.extent();
  if (!is_near_enough(extent)) {
    throw InputError(
        fmt::format("{}: {}x{} cells at ({}, {}) reach beyond 2^62, which a "
                    "checkpoint cannot hold",
                    printable(path), extent.width, extent.height, extent.x, extent.y));
  }
  Output out(path);
  std::optional<Piece> piece = cells.next();
  const CheckpointHeader header{info, extent,
                                piece ? piece->cells.planes() : info.rule.rule.planes()};
  write_header(out, header);
  Batch batch(out, header, printable(path));
  for (; piece; piece = cells.next()) batch.add(*piece);
  batch.flush();
  out.begin_section(kEndSection, sizeof(std::uint64_t));
  out.write_number(batch.pieces());
  out.write_checksum();
  out.commit();
}

}  // namespace tessera
