#include "backends/cpu/cpu_ceiling.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/usable_threads.h"

namespace tessera {

namespace {

constexpr double kSeconds = 0.1;
constexpr double kGatesOfLife = 8;
// A thread's share of the copy, far larger than its share of the caches.
constexpr std::size_t kCopied = std::size_t{64} << 20;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Adds up what `rate` measures in so many threads at the same time.
double in_threads(int count, const std::function<double()>& rate) {
  std::mutex mutex;
  double sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++) {
    threads.emplace_back([&] {
      const double own = rate();
      const std::lock_guard<std::mutex> lock(mutex);
      sum += own;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sum;
}

double copy_rate() {
  const auto from = std::make_unique<char[]>(kCopied), to = std::make_unique<char[]>(kCopied);
  std::memset(from.get(), 1, kCopied);
  std::memset(to.get(), 2, kCopied);
  double bytes = 0;
  volatile char seen = 0;  // so that no copy is left out
  const Clock::time_point start = Clock::now();
  while (seconds_since(start) < kSeconds) {
    std::memcpy(to.get(), from.get(), kCopied);
    seen = to[static_cast<std::size_t>(seen) % kCopied];
    bytes += 2.0 * kCopied;
  }
  return bytes / seconds_since(start);
}

}  // namespace

double life_ceiling(int threads, double seconds) {
  return in_threads(threads, [=] { return strip_ceiling(seconds); });
}

Ceiling measure_cpu_ceiling() {
  Ceiling out;
  for (int i = 0; i < 2; i++) {
    out.gates = std::max(out.gates, life_ceiling(all_threads(), kSeconds) * kGatesOfLife);
    out.bytes = std::max(out.bytes, in_threads(all_threads(), copy_rate));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> cpu_clocks() {
  long kilohertz = 0;
  if (std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq") >> kilohertz) {
    return {{"processor", std::to_string(kilohertz / 1000) + " MHz"}};
  }
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("cpu MHz", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) break;
    return {{"processor", line.substr(colon + 2, line.find('.', colon) - colon - 2) + " MHz"}};
  }
  return {};
}

}  // namespace tessera
