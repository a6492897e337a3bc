#include "backends/distributed/rank_team.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>
#include <utility>

#include "backends/distributed/host_watch.h"
#include "backends/distributed/launch.h"
#include "backends/distributed/mpi_communicator.h"
#include "backends/distributed/rank_watch.h"
#include "core/base/error.h"
#include "core/cells/soup.h"

namespace tessera {

namespace {

RankTeam* team = nullptr;

// What every rank tells of itself: of fixed size, so that all can be had by one reduction.
struct Card {
  std::array<char, 64> host{};
  std::uint64_t system = 0;  // equal where processes see each other by their numbers
  std::uint64_t pid = 0;
  cpu_set_t cores{};
};

Card own_card() {
  Card card;
  ::gethostname(card.host.data(), card.host.size() - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat space {};
  if (::stat("/proc/self/ns/pid", &space) == 0) card.system = mix64(space.st_ino);
  for (const char c : boot) card.system = mix64(card.system ^ static_cast<unsigned char>(c));
  card.pid = static_cast<std::uint64_t>(::getpid());
  ::sched_getaffinity(0, sizeof card.cores, &card.cores);
  return card;
}

// The ranks whose processes see each other.
struct RankHost {
  std::string name;
  std::vector<int> ranks;
};

std::vector<RankHost> hosts_of(const std::vector<Card>& cards) {
  std::vector<RankHost> hosts;
  std::vector<const Card*> firsts;
  for (const Card& card : cards) {
    const auto same = [&](const Card* first) {
      return first->host == card.host && first->system == card.system;
    };
    const auto at = std::ranges::find_if(firsts, same) - firsts.begin();
    if (static_cast<std::size_t>(at) == firsts.size()) {
      firsts.push_back(&card);
      hosts.push_back({card.host.data(), {}});
    }
    hosts[static_cast<std::size_t>(at)].ranks.push_back(static_cast<int>(&card - cards.data()));
  }
  return hosts;
}

std::vector<Card> all_cards(Communicator& us) {
  static_assert(sizeof(Card) % sizeof(std::uint64_t) == 0);
  constexpr std::size_t kWords = sizeof(Card) / sizeof(std::uint64_t);
  const auto size = static_cast<std::size_t>(us.size()), me = static_cast<std::size_t>(us.rank());
  std::vector<std::uint64_t> words(size * kWords);
  const Card own = own_card();
  std::memcpy(words.data() + me * kWords, &own, sizeof own);
  us.reduce(Reduction::sum, words);
  std::vector<Card> cards(size);
  for (std::size_t i = 0; i < size; i++)
    std::memcpy(static_cast<void*>(&cards[i]), words.data() + i * kWords, sizeof(Card));
  return cards;
}

// Of each core that several ranks may use, each has its share.
RankPlace place_of(const std::vector<Card>& cards, std::size_t me) {
  RankPlace place;
  place.host = cards[me].host.data();
  place.locals = 0;
  std::array<int, CPU_SETSIZE> users{};
  for (std::size_t rank = 0; rank < cards.size(); rank++) {
    if (cards[rank].host != cards[me].host) continue;
    if (rank == me) place.local = place.locals;
    place.locals++;
    for (std::size_t core = 0; core < users.size(); core++)
      users[core] += CPU_ISSET(core, &cards[rank].cores) ? 1 : 0;
  }
  double share = 0;
  for (std::size_t core = 0; core < users.size(); core++) {
    if (CPU_ISSET(core, &cards[me].cores)) share += 1.0 / users[core];
  }
  place.threads = std::max(1, static_cast<int>(std::floor(share + 1e-6)));
  return place;
}

std::uint64_t hash_of(const std::vector<std::string>& arguments) {
  std::uint64_t hash = mix64(arguments.size());
  for (const std::string& each : arguments) {
    hash = mix64(hash ^ each.size());
    for (const char c : each) hash = mix64(hash ^ static_cast<unsigned char>(c));
  }
  return hash;
}

bool all_agree(Communicator& us, std::uint64_t value) {
  std::array<std::uint64_t, 2> both{value, ~value};
  us.reduce(Reduction::least, both);
  return both[0] == ~both[1];
}

// Rank 0 alone decides on signals.
void leave_signals_to_rank_0() {
  for (const int each : {SIGINT, SIGHUP}) std::signal(each, SIG_IGN);
  struct sigaction heard {};
  heard.sa_handler = [](int) { ask_to_end(); };
  heard.sa_flags = SA_RESTART;
  ::sigaction(SIGTERM, &heard, nullptr);
}

class TeamScope {
 public:
  explicit TeamScope(RankTeam& now) { team = &now; }
  ~TeamScope() { team = nullptr; }
};

// What rank 0 does while the others serve: they end, too, however the program does.
int lead(RankTeam now, const std::function<int()>& program) {
  const TeamScope scope(now);
  try {
    const int code = program();
    now.worker.end();
    return code;
  } catch (...) {
    now.worker.end();
    throw;
  }
}

// A rank other than 0, for which rank 0 waits unless it lacks MPI itself: it says so at once then,
// and the launcher ends the others. So it does where the first rank of a host says so for all of
// that host, which is why others wait longer.
[[noreturn]] void leave_without_mpi(const Launch& launch, const std::string& why) {
  constexpr auto kPatience = std::chrono::seconds(2), kLongerPatience = std::chrono::seconds(4);
  std::this_thread::sleep_for(launch.local > 0 ? kLongerPatience : kPatience);
  throw UnsupportedError(
      fmt::format("rank {} on {}: several processes were started, but MPI is missing: {}",
                  launch.rank, own_card().host.data(), why));
}

// MPI ends when all ranks have come to the end, however that was.
class Ending {
 public:
  Ending(MpiCommunicator& us, std::unique_ptr<RankWatch>& watch) : us_(us), watch_(watch) {}
  ~Ending() {
    watch_.reset();
    us_.on_lost({});
    try {
      us_.barrier();
      us_.finish();
    } catch (const PartLost&) {
      // Whoever is lost now has nothing left to do.
    }
  }

 private:
  MpiCommunicator& us_;
  std::unique_ptr<RankWatch>& watch_;
};

}  // namespace

RankTeam* rank_team() { return team; }

int run_on_ranks(const std::vector<std::string>& arguments, const FindDevice& find,
                 const std::function<int()>& program) {
  const std::optional<Launch> launch = launched();
  if (!launch) return program();
  if (launch->rank > 0) {
    if (const std::optional<std::string> why = mpi_missing()) leave_without_mpi(*launch, *why);
  }
  MpiCommunicator us;
  std::unique_ptr<RankWatch> watch;
  const Ending ending(us, watch);
  if (us.size() != launch->size) {
    if (launch->rank > 0) return 0;
    throw UnsupportedError("the launcher started " + std::to_string(launch->size) +
                           " processes, but " + us.library() + " knows of " +
                           std::to_string(us.size()) + ": start them by its own mpirun");
  }
  const std::vector<Card> cards = all_cards(us);
  const auto me = static_cast<std::size_t>(us.rank());
  const std::vector<RankHost> hosts = hosts_of(cards);
  const auto here = std::ranges::find_if(
      hosts, [&](const RankHost& each) { return std::ranges::count(each.ranks, us.rank()) > 0; });
  std::vector<RankProcess> neighbours;
  for (const int rank : here->ranks)
    neighbours.push_back({rank, static_cast<pid_t>(cards[static_cast<std::size_t>(rank)].pid)});
  RankPlace place = place_of(cards, me);
  std::function<void()> end_others;
  if (neighbours.size() < cards.size()) {
    end_others = [&] {
      for (const RankHost& each : hosts) {
        if (&each != &*here && us.takes_beats()) us.hush(each.ranks.front());
      }
      us.abort(1);
    };
  }
  watch = std::make_unique<RankWatch>(us.rank(), place.host, neighbours, end_others);
  us.on_lost([&] { watch->unreachable(); });
  std::unique_ptr<HostWatch> host_watch;
  if (hosts.size() > 1 && us.rank() == here->ranks.front() && us.takes_beats()) {
    const RankHost& next = here + 1 == hosts.end() ? hosts.front() : *(here + 1);
    const RankHost& before = here == hosts.begin() ? hosts.back() : *(here - 1);
    host_watch = std::make_unique<HostWatch>(us, next.ranks.front(), before.ranks.front(),
                                             [&] { watch->host_lost(before.name, before.ranks); });
  }
  if (place.locals * place.threads > CPU_COUNT(&cards[me].cores)) us.share_cores();
  if (!all_agree(us, hash_of(arguments))) {
    if (us.rank() > 0) return 0;
    throw InputError("the ranks were started with different arguments; all need the same");
  }
  RankWorker worker(us, place, find);
  worker.on_note([&](const std::string& text) { watch->note(text); });
  worker.grids().on_lost_device([&](const std::string& why) { watch->device_lost(why); });
  worker.on_tiles([&] { us.share_cores(); });
  if (us.rank() == 0)
    return lead({worker, us.size(), static_cast<int>(hosts.size()), us.library()}, program);
  leave_signals_to_rank_0();
  worker.serve();
  return 0;
}

}  // namespace tessera
