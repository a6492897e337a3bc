#include "backends/distributed/rank_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

namespace tessera {

namespace {

constexpr int kFailed = 1;          // exit code
constexpr int kPoll = 100;          // milliseconds, where nothing tells at once
constexpr int kSaid = SIGUSR2;      // the lowest survivor has spoken
constexpr int kSurvivorsWait = 50;  // polls until a lower survivor must have spoken
constexpr auto kUnreachable = std::chrono::seconds(5);

int descriptor_of(pid_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
#else
  (void)pid;
  return -1;
#endif
}

bool gone(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

void say(const std::string& line) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

// "rank 3", "ranks 2, 3".
std::string ranks_text(const std::vector<int>& ranks) {
  return fmt::format("rank{} {}", ranks.size() > 1 ? "s" : "", fmt::join(ranks, ", "));
}

}  // namespace

RankWatch::RankWatch(int rank, std::string host, const std::vector<RankProcess>& processes,
                     std::function<void()> end_others)
    : rank_(rank), host_(std::move(host)), end_others_(std::move(end_others)) {
  std::signal(kSaid, [](int) { ::_exit(kFailed); });
  for (const RankProcess& each : processes) {
    if (each.rank == rank) continue;
    Watched& watched = watched_.emplace_back();
    watched.process = each;
    watched.descriptor = descriptor_of(each.pid);
  }
  if (::pipe2(wake_, O_CLOEXEC) != 0) wake_[0] = wake_[1] = -1;
  thread_ = std::thread([this] { watch(); });
}

RankWatch::~RankWatch() {
  ending_ = true;
  if (wake_[1] >= 0) ::close(wake_[1]);
  thread_.join();
  if (wake_[0] >= 0) ::close(wake_[0]);
  for (const Watched& each : watched_) {
    if (each.descriptor >= 0) ::close(each.descriptor);
  }
}

void RankWatch::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  note_ = text;
}

std::string RankWatch::noted() {
  const std::lock_guard lock(mutex_);
  return note_;
}

void RankWatch::look(int milliseconds) {
  std::vector<pollfd> files{{wake_[0], POLLIN, 0}};
  bool all = true;
  for (const Watched& each : watched_) {
    if (!each.dead && each.descriptor >= 0) files.push_back({each.descriptor, POLLIN, 0});
    all = all && each.descriptor >= 0;
  }
  ::poll(files.data(), files.size(), all ? milliseconds : std::min(milliseconds, kPoll));
  for (Watched& each : watched_) {
    if (each.descriptor < 0) {
      each.dead = each.dead || gone(each.process.pid);
      continue;
    }
    pollfd file{each.descriptor, POLLIN, 0};
    if (::poll(&file, 1, 0) > 0) each.dead = true;
  }
}

void RankWatch::watch() {
  while (!ending_) {
    look(1000);
    if (ending_) return;
    if (std::ranges::any_of(watched_, &Watched::dead)) end();
  }
}

// The lowest survivor speaks and then ends the others, which wait for that: so what it finds dead
// was lost by itself.
void RankWatch::end() {
  speak_alone();
  const auto lower = [&](const Watched& each) { return each.process.rank < rank_; };
  const auto lower_lives = [&](const Watched& each) { return lower(each) && !each.dead; };
  for (int i = 0; i < kSurvivorsWait && std::ranges::any_of(watched_, lower_lives); i++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kPoll));
    look(0);
  }
  // One that has spoken may have ended already; its signal is on its way.
  if (std::ranges::any_of(watched_, lower)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * kPoll));
  }
  std::vector<int> ranks;
  for (const Watched& each : watched_) {
    if (each.dead) ranks.push_back(each.process.rank);
  }
  tell(
      fmt::format("{} on {} {} lost", ranks_text(ranks), host_, ranks.size() > 1 ? "were" : "was"));
  for (const Watched& each : watched_) {
    if (!each.dead) ::kill(each.process.pid, kSaid);
  }
  if (end_others_) end_others_();
  ::_exit(kFailed);
}

// Two threads may find out about one loss, or one about what the other ended: the first one speaks
// and ends the process.
void RankWatch::speak_alone() {
  while (said_.exchange(true)) std::this_thread::sleep_for(kUnreachable);
}

void RankWatch::tell(const std::string& what) {
  const std::string note = noted();
  say(fmt::format("tessera: {}, and the run ends{}{}\n", what, note.empty() ? "" : "; ", note));
}

void RankWatch::unreachable() {
  std::this_thread::sleep_for(kUnreachable);
  end_all(fmt::format("rank {} on {} cannot reach another rank", rank_, host_));
}

void RankWatch::device_lost(const std::string& why) {
  end_all(fmt::format("rank {} on {}: {}", rank_, host_, why));
}

void RankWatch::host_lost(const std::string& host, const std::vector<int>& ranks) {
  end_all(fmt::format("{} with {} does not answer", host, ranks_text(ranks)));
}

void RankWatch::end_all(const std::string& what) {
  speak_alone();
  tell(what);
  // Those of this host would take this process for a lost one, and say so, too.
  for (const Watched& each : watched_) ::kill(each.process.pid, kSaid);
  if (end_others_) end_others_();
  ::_exit(kFailed);
}

}  // namespace tessera
