#include "backends/distributed/rank_tiles.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <utility>

#include "backends/distributed/rank_error.h"
#include "backends/distributed/rank_mail.h"
#include "backends/distributed/rank_spec.h"
#include "core/base/error.h"

namespace tessera {

namespace {

constexpr int kCall = 400, kAnswer = 401;  // tags
constexpr std::uint64_t kInterrupt = 0;    // no device's number

enum class Call : std::uint8_t {
  close,
  set_frames,
  set_copies,
  reserve,
  restart,
  patch,
  step,
  look_ahead,
  look,
  get,
  lone_shapes,
  list,
  write_shard
};

RankMessage begin(Call call) { return RankMessage().put(call); }

template <class Value>
std::span<const Value> all_of(const std::vector<Value>& values) {
  return values;
}

void put_copies(RankMessage& message, const std::vector<TileCopy>& copies) {
  message.put(static_cast<std::uint64_t>(copies.size()));
  for (const TileCopy& each : copies) message.put(each.tile).put(all_of(each.parts));
}

std::vector<TileCopy> take_copies(RankMessage& message) {
  std::vector<TileCopy> copies(static_cast<std::size_t>(message.take<std::uint64_t>()));
  for (TileCopy& each : copies) {
    each.tile = message.take<TileId>();
    each.parts = message.take_all<TileCopy::Part>();
  }
  return copies;
}

void put_patch(RankMessage& message, const TilePatch& patch) {
  message.put(patch.slot).put(patch.visit_for);
  message.put(all_of(patch.linked)).put(all_of(patch.links));
  message.put(all_of(patch.drawn)).put(all_of(patch.rows));
  message.put(all_of(patch.queued)).put(all_of(patch.held));
}

TilePatch take_patch(RankMessage& message) {
  TilePatch patch;
  patch.slot = message.take<int>();
  patch.visit_for = message.take<std::uint32_t>();
  patch.linked = message.take_all<TileId>();
  patch.links = message.take_all<TilePatch::Links>();
  patch.drawn = message.take_all<TileId>();
  patch.rows = message.take_all<TileRows>();
  patch.queued = message.take_all<TileId>();
  patch.held = message.take_all<TileId>();
  return patch;
}

// What the device has to say to a call, and about itself: its memory changes with the ring, and is
// asked for again and again.
RankMessage answer_of(ServedTiles& served, Call call, RankMessage& message) {
  TileDevice& device = *served.device;
  RankMessage answer;
  switch (call) {
    case Call::close:
      break;
    case Call::set_frames:
      device.set_frames(message.take_all<TileFrame>());
      break;
    case Call::set_copies:
      device.set_copies(take_copies(message));
      break;
    case Call::reserve:
      device.reserve(message.take<TileId>());
      break;
    case Call::restart: {
      const int kept = message.take<int>();
      device.restart(kept, message.take<int>());
      break;
    }
    case Call::patch:
      device.patch(take_patch(message));
      break;
    case Call::step: {
      std::vector<MissingTiles> missing;
      const std::vector<DeviceStep> steps = message.take_all<DeviceStep>();
      answer.put(device.step(steps, missing)).put(all_of(missing));
      break;
    }
    case Call::look_ahead: {
      const int now = message.take<int>(), generations = message.take<int>();
      device.look_ahead(now, generations, message.take<bool>());
      break;
    }
    case Call::look: {
      const int slot = message.take<int>();
      const bool of_all_slots = message.take<bool>();
      std::vector<TileFacts> facts;
      device.look(slot, of_all_slots, message.take<bool>(), facts);
      answer.put(all_of(facts));
      break;
    }
    case Call::get: {
      const int slot = message.take<int>();
      std::vector<TileRows> rows;
      device.get(slot, message.take_all<TileId>(), rows);
      answer.put(all_of(rows));
      break;
    }
    case Call::lone_shapes: {
      const int slot = message.take<int>(), cells = message.take<int>();
      std::vector<LoneShape> shapes;
      device.lone_shapes(slot, cells, message.take<int>(), shapes);
      answer.put(all_of(shapes));
      break;
    }
    case Call::list: {
      if (message.take<bool>()) served.listed.clear();
      const std::vector<NumberedPlace> more = message.take_all<NumberedPlace>();
      served.listed.insert(served.listed.end(), more.begin(), more.end());
      break;
    }
    case Call::write_shard: {
      TileShard what{take_order(message)};
      what.number = message.take<int>();
      what.slot = message.take<int>();
      what.corner = message.take<Cell>();
      const Shard shard = write_tiles(device, what, std::exchange(served.listed, {}));
      answer.put(shard.file).put(shard.checksum);
      break;
    }
  }
  return RankMessage().put(true).put(facts_of(device)).put(answer);
}

}  // namespace

ServedFacts facts_of(const TileDevice& device) {
  return {device.bytes_per_tile(), device.limit(),     device.planes(),
          device.reach(),          device.two_rules(), device.makes_copies()};
}

bool serve_tiles(Communicator& us, std::map<std::uint64_t, ServedTiles>& devices) {
  RankMessage message = receive_mail(us, 0, kCall);
  const auto number = message.take<std::uint64_t>();
  if (number == kInterrupt) return false;
  const auto call = message.take<Call>();
  RankMessage answer;
  if (call == Call::close) {
    devices.erase(number);
  } else {
    try {
      answer = answer_of(devices.at(number), call, message);
    } catch (...) {
      answer = RankMessage().put(false).put(letter_of(std::current_exception()));
    }
  }
  send_mail(us, std::array{0}, kAnswer, answer);
  return true;
}

void interrupt_tiles(Communicator& us, std::span<const int> ranks) {
  RankMessage message = RankMessage().put(kInterrupt);
  send_mail(us, ranks, kCall, message);
}

RankTiles::RankTiles(Communicator& us, int rank, std::uint64_t number, int& open,
                     const ServedFacts& facts)
    : us_(us), rank_(rank), number_(number), open_(open), facts_(facts) {
  open_++;
}

RankTiles::~RankTiles() {
  try {
    RankMessage call = begin(Call::close);
    ask(call);
  } catch (const PartLost&) {
    // There is nobody left to free anything.
  }
  open_--;
}

RankMessage RankTiles::ask(RankMessage& call) {
  RankMessage mail = RankMessage().put(number_).put(call);
  send_mail(us_, std::span(&rank_, 1), kCall, mail);
  return receive_mail(us_, rank_, kAnswer);
}

// What is left of the answer is the call's result.
RankMessage RankTiles::carried_out(RankMessage call) {
  try {
    RankMessage answer = ask(call);
    if (!answer.take<bool>()) throw_letter(answer, rank_);
    facts_ = answer.take<ServedFacts>();
    return answer;
  } catch (const PartLost&) {
    throw DeviceError(fmt::format("rank {} is lost", rank_));
  }
}

void RankTiles::set_frames(const std::vector<TileFrame>& frames) {
  carried_out(begin(Call::set_frames).put(all_of(frames)));
}

void RankTiles::set_copies(const std::vector<TileCopy>& copies) {
  RankMessage call = begin(Call::set_copies);
  put_copies(call, copies);
  carried_out(std::move(call));
}

void RankTiles::reserve(TileId end) {
  if (end <= reserved_) return;
  carried_out(begin(Call::reserve).put(end));
  reserved_ = end;
}

void RankTiles::restart(int kept, int slots) {
  reserved_ = 0;
  carried_out(begin(Call::restart).put(kept).put(slots));
  slots_ = slots;
}

void RankTiles::patch(const TilePatch& patch) {
  RankMessage call = begin(Call::patch);
  put_patch(call, patch);
  carried_out(std::move(call));
}

DeviceProgress RankTiles::step(std::span<const DeviceStep> steps,
                               std::vector<MissingTiles>& missing) {
  missing.clear();
  RankMessage answer = carried_out(begin(Call::step).put(steps));
  const auto done = answer.take<DeviceProgress>();
  missing = answer.take_all<MissingTiles>();
  return done;
}

void RankTiles::look_ahead(int now, int generations, bool odd) {
  carried_out(begin(Call::look_ahead).put(now).put(generations).put(odd));
}

void RankTiles::look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) {
  RankMessage answer = carried_out(begin(Call::look).put(slot).put(of_all_slots).put(remember));
  facts = answer.take_all<TileFacts>();
}

void RankTiles::get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) {
  RankMessage answer = carried_out(begin(Call::get).put(slot).put(tiles));
  rows = answer.take_all<TileRows>();
}

void RankTiles::lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) {
  RankMessage answer = carried_out(begin(Call::lone_shapes).put(slot).put(cells).put(most));
  shapes = answer.take_all<LoneShape>();
}

Shard RankTiles::write_shard(const TileShard& what, const NextTiles& next) {
  std::vector<NumberedPlace> some;
  bool first = true;
  do {
    some = next();
    carried_out(begin(Call::list).put(std::exchange(first, false)).put(all_of(some)));
  } while (!some.empty());
  RankMessage call = begin(Call::write_shard);
  put_order(call, what.order);
  RankMessage answer =
      carried_out(std::move(call.put(what.number).put(what.slot).put(what.corner)));
  return {answer.take_text(), answer.take<std::uint64_t>()};
}

}  // namespace tessera
