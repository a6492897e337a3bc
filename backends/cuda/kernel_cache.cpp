#include "backends/cuda/kernel_cache.h"

#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/base/error.h"
#include "core/files/atomic_file.h"
#include "core/files/cache_folder.h"

namespace tessera::cuda {

namespace {

// An entry: magic, length of the key, length of the image, XXH3 of key and image, key, image.
// Numbers are in the machine's byte order: the folder belongs to one machine, and a foreign entry
// fails its checksum.
constexpr char kMagic[8] = {'T', 'S', 'S', 'R', 'K', 'R', 'N', '1'};
constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;

std::string entry_path(const std::string& key) {
  const std::string folder = kernel_cache_folder();
  if (folder.empty()) return "";
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  std::string name;
  for (const std::uint64_t half : {std::uint64_t{hash.high64}, std::uint64_t{hash.low64}}) {
    for (int shift = 60; shift >= 0; shift -= 4) name += "0123456789abcdef"[half >> shift & 15];
  }
  return folder + "/" + name + ".kernel";
}

std::uint64_t checksum(const std::string& key, const std::vector<char>& image) {
  return XXH3_64bits_withSeed(image.data(), image.size(), XXH3_64bits(key.data(), key.size()));
}

std::optional<std::vector<char>> read_entry(const std::string& path, const std::string& key) {
  std::ifstream file(path, std::ios::binary);
  char magic[sizeof kMagic];
  std::uint64_t numbers[3];
  if (!file.read(magic, sizeof magic) || std::memcmp(magic, kMagic, sizeof magic) != 0)
    return std::nullopt;
  if (!file.read(reinterpret_cast<char*>(numbers), sizeof numbers)) return std::nullopt;
  if (numbers[0] != key.size() || numbers[1] > kLargest) return std::nullopt;
  std::string its_key(key.size(), '\0');
  if (!file.read(its_key.data(), static_cast<std::streamsize>(key.size())) || its_key != key)
    return std::nullopt;
  std::vector<char> image(static_cast<std::size_t>(numbers[1]));
  if (!file.read(image.data(), static_cast<std::streamsize>(image.size()))) return std::nullopt;
  if (numbers[2] != checksum(key, image)) return std::nullopt;
  return image;
}

void write_entry(const std::string& path, const std::string& key, const std::vector<char>& image) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  try {
    const std::uint64_t numbers[3] = {key.size(), image.size(), checksum(key, image)};
    AtomicFile file(path);
    file.write(kMagic, sizeof kMagic);
    file.write(numbers, sizeof numbers);
    file.write(key);
    file.write(image.data(), image.size());
    file.commit();
  } catch (const FileError&) {
    // Without space or permission to write, the next start compiles again.
  }
}

}  // namespace

std::string kernel_cache_folder() {
  const std::string folder = cache_folder();
  return folder.empty() ? folder : folder + "/cuda";
}

CompiledKernel cached_kernel(const KernelSource& source, int major, int minor) {
  if (!compiler_missing().empty()) throw DeviceError("CUDA: " + compiler_missing());
  const std::string key = compile_key(source, major, minor);
  const std::string path = entry_path(key);
  if (!path.empty()) {
    if (std::optional<std::vector<char>> image = read_entry(path, key))
      return {std::move(*image), ""};
  }
  CompiledKernel compiled = compile_kernel(source, major, minor);
  if (!path.empty()) write_entry(path, key, compiled.image);
  return compiled;
}

void forget_kernel(const KernelSource& source, int major, int minor) {
  std::error_code ignored;
  const std::string path = entry_path(compile_key(source, major, minor));
  if (!path.empty()) std::filesystem::remove(path, ignored);
}

}  // namespace tessera::cuda
