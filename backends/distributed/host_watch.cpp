#include "backends/distributed/host_watch.h"

#include <chrono>
#include <utility>

#include "backends/distributed/launch.h"
#include "backends/distributed/mpi_communicator.h"

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(50);
constexpr auto kBeat = std::chrono::milliseconds(100);
constexpr auto kSilence = std::chrono::seconds(7);
constexpr auto kShortSilence = std::chrono::milliseconds(600);  // when asked to end
constexpr auto kStopped = std::chrono::seconds(2);              // between two looks
constexpr auto kGoodbye = std::chrono::seconds(5);

}  // namespace

HostWatch::HostWatch(const MpiCommunicator& us, int to, int from, std::function<void()> lost)
    : us_(us), to_(to), from_(from), lost_(std::move(lost)), thread_([this] { watch(); }) {}

HostWatch::~HostWatch() {
  ending_ = true;
  thread_.join();
}

void HostWatch::watch() {
  Clock::time_point looked = Clock::now(), told = looked - kBeat, heard = looked;
  bool left = false;  // `from` tells no more
  while (!ending_) {
    const Clock::time_point now = Clock::now();
    if (now - looked > kStopped) heard = now;
    looked = now;
    if (now - told >= kBeat && us_.beat(to_, false) != 0) told = now;
    const int news = us_.heard(from_);
    if (news >= 0) heard = now;
    left = left || news == 1;
    const bool hurried = asked_to_end() && !us_.hushed();
    if (!left && now - heard > (hurried ? kShortSilence : kSilence)) lost_();
    std::this_thread::sleep_for(kLook);
  }
  bool said = false;
  for (const Clock::time_point end = Clock::now() + kGoodbye; Clock::now() < end;) {
    said = said || us_.beat(to_, true) == 1;
    left = left || us_.heard(from_) == 1;
    if (said && left) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace tessera
