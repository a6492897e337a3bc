// Launches: of kernels that were compiled indeed, of copies of the kernels of grids, and of those
// of tiles.cu, of which this is the copy.
#include "together.cuh"
// After it, so that the kernel's own is not taken.
#include "tiles.cu"

#include <cuda.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "argument.cuh"
#include "fake_launches.h"
#include "fake_module.h"
#include "grid_copies.h"
#include "run_tiles.cuh"

namespace {

// The launch that is under way, and its rule.
thread_local const fake::Function* launched = nullptr;
thread_local const fake::Rule* rule = nullptr;

void run_kernel_of_grid() {
  const fake::Module& module = *launched->module;
  const auto word = module.options.find("-DTESSERA_LAST_WORD");
  const fake::RunOfGrid run = fake::run_of_grid(module.file, module.options, module.states);
  if (fake::never_stepped(module.file, module.options, run) ||
      !run(launched->name, given, word == module.options.end() ? -1 : word->second))
    std::abort();
}

void run_kernel() {
  const std::string& name = launched->name;
  if (launched->module->file != "tiles.cu") return run_kernel_of_grid();
  if (!run_tiles(name)) std::abort();
}

std::mutex launches_mutex;
std::map<std::string, long> launches;

void begin_launch(CUfunction function, void** arguments) {
  launched = reinterpret_cast<const fake::Function*>(function);
  given = arguments;
  rule = launched->rule;
  const std::string& file = launched->module->file;
  if (file != "march.cu" && file != "relay.cu") return;
  const bool ring = launched->module->options.at("-DTESSERA_RING") == 1;
  const std::lock_guard lock(launches_mutex);
  launches[file == "march.cu" ? launched->name + " of march.cu" : ring ? "ring" : "relay"]++;
}

// All blocks are on the device at once, and may wait for each other and for other devices.
CUresult launch_together(const CUlaunchConfig& config) {
  constexpr std::chrono::seconds kPatience(10);
  const auto begin = std::chrono::steady_clock::now();
  const auto patient = [&] {
    std::this_thread::yield();
    return std::chrono::steady_clock::now() - begin < kPatience;
  };
  const emulated::Parts parts{
      {config.gridDimX}, config.blockDimX / 32, 32, config.sharedMemBytes / sizeof(uint4)};
  // Whoever waits is asked again and again: nothing has to tell when one has gone on.
  const bool ended = emulated::run_together(
      parts, [](std::size_t) { run_kernel(); }, emulated::Order::first,
      [] { return std::uint64_t{0}; }, 0, patient);
  return ended ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_TIMEOUT;
}

}  // namespace

unsigned int tessera_tail(unsigned int t0, unsigned int k, unsigned int u0, unsigned int u1,
                          unsigned int x) {
  if (rule->gates.empty()) {
    // Three among the nine, or four and alive.
    const unsigned int two = k ^ u0, carry = k & u0, four = u1 ^ carry, eight = u1 & carry;
    return ~eight & ((t0 & two & ~four) | (x & ~t0 & ~two & four));
  }
  unsigned int signals[16] = {t0, k, u0, u1, x};
  int count = 5;
  for (const fake::Gate& gate : rule->gates) {
    const unsigned int a = signals[gate.a], b = signals[gate.b], c = signals[gate.c];
    unsigned int out = 0;
    for (int i = 0; i < 8; i++) {
      if (gate.table >> i & 1) out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    }
    signals[count++] = out;
  }
  return signals[count - 1];
}

extern "C" {

long fake_launches(const char* kernel) {
  const std::lock_guard lock(launches_mutex);
  return launches[kernel];
}

CUresult cuLaunchKernel(CUfunction function, unsigned int blocks, unsigned int, unsigned int,
                        unsigned int threads, unsigned int, unsigned int, unsigned int, CUstream,
                        void** arguments, void**) {
  begin_launch(function, arguments);
  if (void* const library = launched->module->library) {
    using Launch = bool (*)(const char*, void**, unsigned int, unsigned int);
    const auto launch = reinterpret_cast<Launch>(::dlsym(library, "tessera_launch"));
    if (!launch || !launch(launched->name.c_str(), arguments, blocks, threads)) std::abort();
    return CUDA_SUCCESS;
  }
  emulated::warp.kernel = run_kernel;
  gridDim.x = blocks;
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
    for (unsigned int n = 0; n < threads / 32; n++) emulated::run_warp(n);
  }
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                          void** extra) {
  const bool together =
      config->numAttrs > 0 && config->attrs[0].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  if (together) {
    begin_launch(function, arguments);
    return launch_together(*config);
  }
  return cuLaunchKernel(function, config->gridDimX, 1, 1, config->blockDimX, 1, 1, 0, nullptr,
                        arguments, extra);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  return *blocks = 1, CUDA_SUCCESS;
}

}  // extern "C"
