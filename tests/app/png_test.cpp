#include "core/png.h"

#include <doctest/doctest.h>
#include <png.h>

#include <vector>

#include "core/base/error.h"
#include "core/cells/soup.h"
#include "scratch_folder.h"

using namespace tessera;

namespace {

// Reads a picture as 8-bit greys with libpng's simple interface.
DensityImage read_png(const std::string& path, int* bits = nullptr) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&image, path.c_str()));
  image.format = PNG_FORMAT_GRAY;
  DensityImage out;
  out.resize(image.width, image.height);
  REQUIRE(png_image_finish_read(&image, nullptr, out.pixels.data(), 0, nullptr));
  if (bits) *bits = bytes_of(path).at(24);  // the depth in IHDR
  return out;
}

}  // namespace

TEST_CASE("cells are black pixels of one bit at any width") {
  ScratchFolder folder;
  const std::string path = folder.file("cells.png");
  for (const std::int64_t width : {1, 7, 8, 9, 63, 64, 65, 200}) {
    const BitGrid cells = make_soup(Soup::of(0.4, 7), width, 5);
    write_png(path, cells);
    int bits = 0;
    const DensityImage seen = read_png(path, &bits);
    CHECK(bits == 1);
    REQUIRE(seen.width == width);
    REQUIRE(seen.height == 5);
    for (std::int64_t y = 0; y < 5; y++) {
      for (std::int64_t x = 0; x < width; x++) {
        REQUIRE(seen.pixels[y * width + x] == (cells.get(x, y) ? 0 : 255));
      }
    }
  }
}

TEST_CASE("bytes of a palette have its colours") {
  ScratchFolder folder;
  const std::string path = folder.file("colours.png");
  DensityImage image;
  image.resize(64, 5);
  std::vector<std::uint32_t> colours;
  for (std::uint32_t i = 0; i < 256; i++) colours.push_back(0xff000000 | i * 0x010305 % 0x1000000);
  for (std::size_t i = 0; i < image.pixels.size(); i++)
    image.pixels[i] = static_cast<std::uint8_t>(i * 11);
  write_png(path, image, colours);
  png_image seen{};
  seen.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&seen, path.c_str()));
  seen.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> rgb(3 * 64 * 5);
  REQUIRE(png_image_finish_read(&seen, nullptr, rgb.data(), 0, nullptr));
  for (std::size_t i = 0; i < image.pixels.size(); i++) {
    const std::uint32_t colour = colours[image.pixels[i]];
    REQUIRE(rgb[3 * i] == (colour & 0xff));
    REQUIRE(rgb[3 * i + 1] == (colour >> 8 & 0xff));
    REQUIRE(rgb[3 * i + 2] == (colour >> 16 & 0xff));
  }
}

TEST_CASE("greys are inverted") {
  ScratchFolder folder;
  const std::string path = folder.file("grey.png");
  DensityImage image;
  image.resize(256, 2);
  for (std::size_t i = 0; i < image.pixels.size(); i++)
    image.pixels[i] = static_cast<std::uint8_t>(i * 7);
  write_png(path, image);
  int bits = 0;
  const DensityImage seen = read_png(path, &bits);
  CHECK(bits == 8);
  for (std::size_t i = 0; i < image.pixels.size(); i++)
    REQUIRE(seen.pixels[i] == 255 - image.pixels[i]);
}

TEST_CASE("a picture wider than libpng's usual million pixels can be written") {
  ScratchFolder folder;
  BitGrid cells(3000000, 1);
  cells.set(2999999, 0, true);
  write_png(folder.file("wide.png"), cells);
  const std::string bytes = bytes_of(folder.file("wide.png"));
  CHECK(bytes.substr(16, 8) == std::string("\x00\x2d\xc6\xc0\x00\x00\x00\x01", 8));
}

TEST_CASE("what cannot be written is refused and leaves nothing") {
  ScratchFolder folder;
  const BitGrid cells(8, 8);
  CHECK_THROWS_AS(write_png(folder.file("none/x.png"), cells), FileError);
  CHECK_THROWS_AS(write_png("/dev/full", BitGrid(4096, 4096)), FileError);
  DensityImage wide;
  wide.width = std::int64_t{1} << 31;
  wide.height = 1;
  CHECK_THROWS_AS(write_png(folder.file("wide.png"), wide), InputError);
  CHECK(std::filesystem::is_empty(folder.path()));
}
