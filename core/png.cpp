#include "core/png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/files/atomic_file.h"

namespace tessera {
namespace {

constexpr std::int64_t kMaxPixels = 0x7fffffff;  // of PNG
// Pictures of cells gain nothing from filters, and little from zlib's slower levels.
constexpr int kPngCompression = 4;

// The state of libpng's callbacks. They are called from C code, through which no exception may
// pass, so an exception is kept here while libpng's own error path, longjmp, brings control back.
struct Writing {
  AtomicFile file;
  std::exception_ptr failure;
  std::string message;
};

void on_error(png_structp png, png_const_charp message) {
  auto& writing = *static_cast<Writing*>(png_get_error_ptr(png));
  writing.message = message;
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_write(png_structp png, png_bytep data, std::size_t bytes) {
  auto& writing = *static_cast<Writing*>(png_get_io_ptr(png));
  try {
    writing.file.write(data, bytes);
    return;
  } catch (...) {
    writing.failure = std::current_exception();
  }
  png_error(png, "writing failed");
}

// Fills the bytes of row y as PNG stores them.
using RowSource = std::function<void(std::int64_t y, std::vector<png_byte>& row)>;

// A byte per pixel.
RowSource rows_of(const DensityImage& image) {
  return [&image](std::int64_t y, std::vector<png_byte>& row) {
    const auto from = image.pixels.begin() + y * image.width;
    row.assign(from, from + image.width);
  };
}

// How pixels are stored: bits per sample, samples per pixel.
struct PixelKind {
  int depth;
  int colour_type = PNG_COLOR_TYPE_GRAY;
  std::span<const png_color> palette = {};
  std::int64_t bits() const { return colour_type == PNG_COLOR_TYPE_RGB ? 3 * depth : depth; }
};

// False when libpng failed. No object with a destructor may live in this frame, because longjmp
// would skip it.
bool encode(png_structp png, png_infop info, std::int64_t width, std::int64_t height,
            const PixelKind& kind, const RowSource& source, std::vector<png_byte>& row) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_user_limits(png, kMaxPixels, kMaxPixels);
  png_set_compression_level(png, kPngCompression);
  png_set_filter(png, 0, PNG_FILTER_NONE);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height),
               kind.depth, kind.colour_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (!kind.palette.empty())
    png_set_PLTE(png, info, kind.palette.data(), static_cast<int>(kind.palette.size()));
  png_write_info(png, info);
  if (kind.colour_type == PNG_COLOR_TYPE_GRAY) png_set_invert_mono(png);
  if (kind.depth == 1) png_set_packswap(png);  // the leftmost cell is a word's lowest bit
  for (std::int64_t y = 0; y < height; y++) {
    source(y, row);
    png_write_row(png, row.data());
  }
  png_write_end(png, info);
  return true;
}

void write(const std::string& path, std::int64_t width, std::int64_t height, const PixelKind& kind,
           Durability durability, const RowSource& source) {
  if (width > kMaxPixels || height > kMaxPixels) {
    throw InputError(fmt::format("{}: a picture of {}x{} pixels; PNG accepts up to {} per side",
                                 path, width, height, kMaxPixels));
  }
  Writing writing{AtomicFile(path), {}, {}};
  std::vector<png_byte> row(static_cast<std::size_t>(ceil_div(width * kind.bits(), 8)));
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writing, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  bool done = false;
  if (info) {
    png_set_write_fn(png, &writing, on_write, nullptr);
    done = encode(png, info, width, height, kind, source, row);
  }
  png_destroy_write_struct(&png, &info);
  if (writing.failure) std::rethrow_exception(writing.failure);
  if (!done) throw FileError(fmt::format("{}: cannot make the picture: {}", path, writing.message));
  writing.file.commit(OldFile::replace, durability);
}

}  // namespace

void write_png(const std::string& path, const CellGrid& cells) {
  write(path, cells.width(), cells.height(), {1}, Durability::synced,
        [&](std::int64_t y, std::vector<png_byte>& row) {
          std::fill(row.begin(), row.end(), png_byte{0});
          for (int p = 0; p < cells.planes(); p++) {
            const std::uint64_t* words = cells.plane(p).row(y);
            for (std::size_t i = 0; i < row.size(); i++) {
              row[i] |= static_cast<png_byte>(words[i / 8] >> (i % 8 * 8));
            }
          }
        });
}

void write_png(const std::string& path, const DensityImage& image, Durability durability) {
  write(path, image.width, image.height, {8}, durability, rows_of(image));
}

void write_png(const std::string& path, const DensityImage& image,
               std::span<const std::uint32_t> colours, Durability durability) {
  std::vector<png_color> palette;
  for (const std::uint32_t colour : colours) {
    palette.push_back({static_cast<png_byte>(colour), static_cast<png_byte>(colour >> 8),
                       static_cast<png_byte>(colour >> 16)});
  }
  write(path, image.width, image.height, {8, PNG_COLOR_TYPE_PALETTE, palette}, durability,
        rows_of(image));
}

void write_png(const std::string& path, std::int64_t width, std::int64_t height,
               std::span<const std::uint8_t> rgb) {
  write(path, width, height, {8, PNG_COLOR_TYPE_RGB}, Durability::synced,
        [&](std::int64_t y, std::vector<png_byte>& row) {
          const auto from = rgb.subspan(static_cast<std::size_t>(3 * width * y), row.size());
          row.assign(from.begin(), from.end());
        });
}

}  // namespace tessera
