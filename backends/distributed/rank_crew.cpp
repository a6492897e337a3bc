#include "backends/distributed/rank_crew.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <new>
#include <random>
#include <string>

#include "backends/cpu/waiting.h"
#include "core/base/error.h"
#include "core/base/geometry.h"
#include "core/cells/soup.h"

namespace tessera {

namespace {

// Addresses that programs leave free, from here on.
constexpr std::uint64_t kFirstAddress = std::uint64_t{1} << 45;
constexpr std::uint64_t kPage = 1 << 16;  // the largest of any machine
constexpr int kTries = 8;

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return descriptor_; }

 private:
  int descriptor_;
};

int make_file(std::uint64_t bytes, std::uint64_t mark) {
  const int file = ::memfd_create("tessera", MFD_CLOEXEC);
  if (file < 0) return -1;
  if (::ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
      ::pwrite(file, &mark, sizeof mark, 0) == sizeof mark)
    return file;
  ::close(file);
  return -1;
}

// Where processes do not see each other, the number may be another one's: the mark tells.
int open_file(std::uint64_t pid, std::uint64_t number, std::uint64_t mark) {
  const std::string name = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(number);
  const int file = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
  std::uint64_t found = 0;
  if (file < 0) return -1;
  if (::pread(file, &found, sizeof found, 0) == sizeof found && found == mark) return file;
  ::close(file);
  return -1;
}

// The address is a hint, which systems follow where the memory there is free. MAP_FIXED_NOREPLACE
// would say the same, but ThreadSanitizer turns it into memory at address 0.
std::byte* map_file(int file, std::uint64_t address, std::uint64_t bytes) {
  void* const wanted = reinterpret_cast<void*>(address);
  void* const got =
      ::mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (got == wanted) return static_cast<std::byte*>(got);
  if (got != MAP_FAILED) ::munmap(got, bytes);
  return nullptr;
}

bool all_are(Communicator& us, bool mine) {
  std::array<std::uint64_t, 1> least{mine ? std::uint64_t{1} : 0};
  us.reduce(Reduction::least, least);
  return least[0] == 1;
}

std::uint64_t random_mark() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

// The same memory in all, at an address that is free in all; null in all where there is none.
std::byte* map_together(Communicator& us, std::uint64_t bytes) {
  std::array<std::uint64_t, 3> told{};  // process, file, mark
  const bool makes = us.rank() == 0;
  int own = -1;
  if (makes) {
    told[2] = random_mark();
    own = make_file(bytes, told[2]);
    told[0] = static_cast<std::uint64_t>(::getpid());
    told[1] = static_cast<std::uint64_t>(own);
  }
  us.reduce(Reduction::sum, told);
  const File file(makes ? own : open_file(told[0], told[1], told[2]));
  if (!all_are(us, file.number() >= 0)) return nullptr;
  for (std::uint64_t i = 0; i < kTries; i++) {
    const std::uint64_t address = kFirstAddress + ((mix64(told[2] + i) & 0xffffff) * kPage << 4);
    std::byte* const mine = map_file(file.number(), address, bytes);
    if (all_are(us, mine != nullptr)) {
      if (makes) *reinterpret_cast<std::uint64_t*>(mine) = 0;
      us.barrier();
      return mine;
    }
    if (mine) ::munmap(mine, bytes);
  }
  return nullptr;
}

}  // namespace

bool RankCrew::works(Communicator& us) {
  std::byte* const page = map_together(us, kPage);
  if (!page) return false;
  us.barrier();
  ::munmap(page, kPage);
  return true;
}

RankCrew::RankCrew(Communicator& us) : us_(us) {
  std::byte* const memory = allocate(sizeof(Meeting));
  if (rank() == 0) new (memory) Meeting;
  meeting_ = std::launder(reinterpret_cast<Meeting*>(memory));
  us_.barrier();
}

RankCrew::~RankCrew() {
  for (const Mapping& each : mappings_) ::munmap(each.first, each.bytes);
}

std::byte* RankCrew::allocate(std::int64_t bytes) {
  const std::uint64_t whole = ceil_div(static_cast<std::uint64_t>(bytes), kPage) * kPage;
  std::byte* const memory = map_together(us_, whole);
  if (!memory)
    throw UnsupportedError(
        "the ranks of this host share no memory any more; --link host needs none");
  mappings_.push_back({memory, whole});
  return memory;
}

void RankCrew::meet() {
  Meeting& all = *meeting_;
  const std::uint32_t round = all.round.load(std::memory_order_relaxed);
  if (all.come.fetch_add(1, std::memory_order_acq_rel) + 1 == size()) {
    all.come.store(0, std::memory_order_relaxed);
    all.round.store(round + 1, std::memory_order_release);
    return;
  }
  wait_until([&] {
    return all.round.load(std::memory_order_acquire) != round ||
           all.over.load(std::memory_order_relaxed);
  });
  if (all.round.load(std::memory_order_acquire) == round)
    throw Error("another rank could not go on");
}

void RankCrew::give_up() { meeting_->over.store(true, std::memory_order_relaxed); }

}  // namespace tessera
