#include "backends/distributed/rank_mail.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera {

namespace {

// The length, and as much of the message as travels with it: what is short arrives at once.
struct Head {
  std::uint64_t size = 0;
  std::array<std::byte, 504> first{};
};

std::size_t in_head(std::size_t size) { return std::min(size, sizeof(Head::first)); }

}  // namespace

void send_mail(Communicator& us, std::span<const int> to, int tag, RankMessage& message) {
  const std::span<const std::byte> bytes = message.bytes();
  Head head{bytes.size(), {}};
  const std::size_t first = in_head(bytes.size());
  std::ranges::copy(bytes.first(first), head.first.begin());
  std::vector<Outgoing> out;
  for (const int rank : to) {
    out.push_back({rank, tag, std::as_bytes(std::span(&head, 1))});
    if (bytes.size() > first) out.push_back({rank, tag, bytes.subspan(first)});
  }
  us.exchange(out, {});
}

RankMessage receive_mail(Communicator& us, int from, int tag) {
  Head head;
  const Incoming begin{from, tag, std::as_writable_bytes(std::span(&head, 1))};
  us.exchange({}, {&begin, 1});
  const std::size_t first = in_head(head.size);
  std::vector<std::byte> bytes(head.size);
  std::copy_n(head.first.begin(), first, bytes.begin());
  if (bytes.size() > first) {
    const Incoming rest{from, tag, std::span(bytes).subspan(first)};
    us.exchange({}, {&rest, 1});
  }
  return RankMessage(std::move(bytes));
}

}  // namespace tessera
