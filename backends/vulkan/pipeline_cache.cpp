#include "backends/vulkan/pipeline_cache.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/files/atomic_file.h"
#include "core/files/cache_folder.h"

namespace tessera::vulkan {

namespace {

namespace fs = std::filesystem;

constexpr char kMagic[8] = {'T', 'S', 'R', 'V', 'K', 'P', 'C', '1'};

// Precedes the driver's bytes and holds everything that can make them invalid.
struct Header {
  char magic[8];
  std::uint32_t vendor;
  std::uint32_t device;
  std::uint32_t driver;
  std::uint32_t api;
  std::uint8_t uuid[VK_UUID_SIZE];
  std::uint64_t bytes;
  std::uint64_t checksum;  // XXH3 of the bytes
};

Header header_of(const Gpu& gpu, const std::uint8_t* data, std::size_t bytes) {
  const vk::PhysicalDeviceProperties properties = gpu.handle.getProperties();
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.vendor = properties.vendorID;
  header.device = properties.deviceID;
  header.driver = properties.driverVersion;
  header.api = properties.apiVersion;
  std::memcpy(header.uuid, properties.pipelineCacheUUID.data(), VK_UUID_SIZE);
  header.bytes = bytes;
  header.checksum = XXH3_64bits(data, bytes);
  return header;
}

}  // namespace

std::string pipeline_cache_path(const Gpu& gpu) {
  const std::string folder = cache_folder();
  if (folder.empty()) return {};
  const vk::PhysicalDeviceProperties properties = gpu.handle.getProperties();
  // Software devices compile for the present subgroup size.
  return folder + fmt::format("/vulkan-{:04x}-{:04x}-{}.cache", properties.vendorID,
                              properties.deviceID, gpu.subgroup_size);
}

std::vector<std::uint8_t> load_pipeline_cache(const Gpu& gpu) {
  std::ifstream file(pipeline_cache_path(gpu), std::ios::binary);
  if (!file) return {};
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() < sizeof(Header)) return {};
  std::vector<std::uint8_t> data(bytes.begin() + sizeof(Header), bytes.end());
  const Header wanted = header_of(gpu, data.data(), data.size());
  if (std::memcmp(&wanted, bytes.data(), sizeof wanted) != 0) return {};
  return data;
}

void store_pipeline_cache(const Gpu& gpu, const std::vector<std::uint8_t>& data) {
  const std::string path = pipeline_cache_path(gpu);
  if (path.empty() || data.empty()) return;
  std::error_code status;
  fs::create_directories(fs::path(path).parent_path(), status);
  if (status) return;
  try {
    AtomicFile file(path);
    const Header header = header_of(gpu, data.data(), data.size());
    file.write(&header, sizeof header);
    file.write(data.data(), data.size());
    file.commit();
  } catch (const FileError&) {
    // A read-only home must not fail a finished run.
  }
}

}  // namespace tessera::vulkan
