#include "backends/distributed/mpi_communicator.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "backends/distributed/launch.h"
#include "core/base/error.h"

namespace tessera {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

std::atomic<bool> end_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

std::optional<int> number_from(const char* variable) {
  const char* const text = std::getenv(variable);
  if (!text) return std::nullopt;
  int value = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, status] = std::from_chars(text, end, value);
  if (status != std::errc{} || stop != end || value < 0) return std::nullopt;
  return value;
}

// Open MPI's, Hydra's, Slurm's.
int local_rank() {
  for (const char* each : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    if (const std::optional<int> local = number_from(each)) return *local;
  }
  return 0;
}

// The module, or null and the reason. It stays loaded: an MPI cannot be started twice.
const TesseraMpiModule* load(std::string& why) {
  const char* const named = std::getenv("TESSERA_MPI_MODULE");
  // An MPI's own modules look for its symbols among those of the program.
  void* const library = ::dlopen(named ? named : "libtessera_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    const char* const reason = ::dlerror();
    why = reason ? reason : "libtessera_mpi.so cannot be loaded";
    return nullptr;
  }
  using Entry = const TesseraMpiModule* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(library, "tessera_mpi_module"));
  const TesseraMpiModule* const module = entry ? entry() : nullptr;
  if (module && module->version == kTesseraMpiVersion) return module;
  why = "libtessera_mpi.so is of another version of Tessera";
  return nullptr;
}

}  // namespace

std::optional<Launch> launched() {
  struct Names {
    const char *rank, *size;
  };
  for (const Names& names :
       {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Names{"PMI_RANK", "PMI_SIZE"},
        Names{"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}, Names{"PMIX_RANK", "SLURM_NTASKS"}}) {
    const std::optional<int> rank = number_from(names.rank), size = number_from(names.size);
    if (rank && size)
      return *size > 1 ? std::optional<Launch>({*rank, *size, local_rank()}) : std::nullopt;
  }
  return std::nullopt;
}

void ask_to_end() { end_asked = true; }

bool asked_to_end() { return end_asked; }

std::optional<std::string> mpi_missing() {
  std::string why;
  if (load(why)) return std::nullopt;
  return why;
}

MpiCommunicator::MpiCommunicator() {
  std::string why;
  module_ = load(why);
  if (!module_)
    throw UnsupportedError("several processes were started, but MPI is missing: " + why);
  if (module_->start() != 0) throw UnsupportedError("MPI did not start");
  rank_ = module_->rank();
  size_ = module_->size();
}

void MpiCommunicator::finish() { module_->finish(); }

// Calls `begin` and waits for the requests that it returns.
void MpiCommunicator::complete(const std::function<std::vector<void*>()>& begin) {
  if (requests_.complete(begin)) return;
  if (hear_) hear_();
  throw PartLost();
}

void MpiCommunicator::barrier() {
  complete([&] { return std::vector{module_->barrier()}; });
}

void MpiCommunicator::broadcast(std::vector<std::byte>& bytes) {
  std::uint64_t size = bytes.size();
  complete([&] { return std::vector{module_->broadcast(&size, sizeof size)}; });
  bytes.resize(size);
  for (std::size_t at = 0; at < size; at += kMostBytes) {
    complete([&] {
      return std::vector{module_->broadcast(bytes.data() + at, std::min(kMostBytes, size - at))};
    });
  }
}

void MpiCommunicator::reduce(Reduction how, std::span<std::uint64_t> numbers) {
  complete([&] {
    return std::vector{module_->reduce(numbers.data(), numbers.size(), static_cast<int>(how))};
  });
}

void MpiCommunicator::exchange(std::span<const Outgoing> out, std::span<const Incoming> in) {
  complete([&] {
    std::vector<void*> requests;
    for (const Incoming& each : in) {
      for (std::size_t at = 0; at < each.bytes.size(); at += kMostBytes)
        requests.push_back(module_->receive(each.bytes.data() + at,
                                            std::min(kMostBytes, each.bytes.size() - at), each.from,
                                            each.tag));
    }
    for (const Outgoing& each : out) {
      for (std::size_t at = 0; at < each.bytes.size(); at += kMostBytes)
        requests.push_back(module_->send(each.bytes.data() + at,
                                         std::min(kMostBytes, each.bytes.size() - at), each.to,
                                         each.tag));
    }
    return requests;
  });
}

}  // namespace tessera
