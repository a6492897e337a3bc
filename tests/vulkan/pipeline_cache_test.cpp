// The file that keeps compiled pipelines between runs.

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "backends/vulkan/pipeline_cache.h"

using namespace tessera::vulkan;
namespace fs = std::filesystem;

TEST_CASE("stored pipelines come back whole or not at all") {
  REQUIRE(!Gpus::get().list.empty());
  const Gpu& gpu = Gpus::get().list.front();
  const fs::path folder = fs::temp_directory_path() / ("tessera-cache-" + std::to_string(getpid()));
  REQUIRE(setenv("TESSERA_CACHE", folder.c_str(), 1) == 0);
  CHECK(load_pipeline_cache(gpu).empty());
  const std::vector<std::uint8_t> data = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  store_pipeline_cache(gpu, data);
  CHECK(load_pipeline_cache(gpu) == data);

  const fs::path file = pipeline_cache_path(gpu);
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  for (std::streamoff at = 0; at < size; at++) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(at);
    const char old = static_cast<char>(stream.get());
    stream.seekp(at);
    stream.put(static_cast<char>(old ^ 4));
    stream.close();
    CAPTURE(at);
    CHECK(load_pipeline_cache(gpu).empty());
    std::fstream back(file, std::ios::in | std::ios::out | std::ios::binary);
    back.seekp(at);
    back.put(old);
  }
  CHECK(load_pipeline_cache(gpu) == data);
  fs::resize_file(file, 20);
  CHECK(load_pipeline_cache(gpu).empty());
  fs::remove_all(folder);
}
