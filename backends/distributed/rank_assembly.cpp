#include "backends/distributed/rank_assembly.h"

#include <array>
#include <utility>

#include "backends/distributed/rank_error.h"
#include "core/base/error.h"

namespace tessera {

namespace {

constexpr int kLetter = 100;  // tag

}  // namespace

void RankAssembly::command(RankMessage& message) {
  if (before_) before_();
  us_.broadcast(message.bytes());
  message.take<RankTask>();
}

RankMessage RankAssembly::wait() {
  std::vector<std::byte> bytes;
  us_.broadcast(bytes);
  return RankMessage(std::move(bytes));
}

void RankAssembly::agree(const std::exception_ptr& error) {
  const auto size = static_cast<std::uint64_t>(us_.size());
  const auto me = static_cast<std::uint64_t>(us_.rank());
  std::array<std::uint64_t, 2> first{error ? me : size, 0};
  RankMessage letter;
  if (error) letter = letter_of(error);
  us_.reduce(Reduction::least, std::span(first).first(1));
  if (first[0] == size) return;
  const int failed = static_cast<int>(first[0]);
  if (first[0] == me) first[1] = letter.bytes().size();
  us_.reduce(Reduction::sum, std::span(first).last(1));
  if (failed != 0 && first[0] == me) {
    const Outgoing out{0, kLetter, letter.bytes()};
    us_.exchange({&out, 1}, {});
  }
  if (us_.rank() != 0) throw Error("a rank failed");
  if (failed != 0) {
    letter.bytes().resize(first[1]);
    const Incoming in{failed, kLetter, letter.bytes()};
    us_.exchange({}, {&in, 1});
  }
  throw_letter(letter, failed);
}

std::vector<RankMessage> RankAssembly::gather(RankMessage mine) {
  const auto me = static_cast<std::size_t>(us_.rank());
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(us_.size()));
  sizes[me] = mine.bytes().size();
  us_.reduce(Reduction::sum, sizes);
  if (me != 0) {
    const Outgoing out{0, kLetter, mine.bytes()};
    if (sizes[me] > 0) us_.exchange({&out, 1}, {});
    return {};
  }
  std::vector<RankMessage> all(sizes.size());
  std::vector<Incoming> in;
  for (std::size_t rank = 1; rank < all.size(); rank++) {
    all[rank].bytes().resize(sizes[rank]);
    if (sizes[rank] > 0) in.push_back({static_cast<int>(rank), kLetter, all[rank].bytes()});
  }
  us_.exchange({}, in);
  all[0] = std::move(mine);
  return all;
}

}  // namespace tessera
