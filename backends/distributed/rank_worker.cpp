#include "backends/distributed/rank_worker.h"

#include <stdexcept>
#include <utility>

#include "backends/distributed/part_speed.h"
#include "backends/distributed/rank_crew.h"
#include "backends/distributed/rank_spec.h"
#include "backends/distributed/shared_tiles_backend.h"
#include "backends/distributed/tile_sharing.h"
#include "backends/tuning/tunings.h"
#include "core/base/error.h"

namespace tessera {

RankWorker::RankWorker(Communicator& us, RankPlace place, FindDevice find)
    : ranks_(us),
      site_(std::move(place), std::move(find)),
      grids_(ranks_, site_),
      open_(static_cast<std::size_t>(us.size())) {
  ranks_.before_commands([this] {
    std::vector<int> serving;
    for (std::size_t rank = 1; rank < open_.size(); rank++) {
      if (open_[rank] > 0) serving.push_back(static_cast<int>(rank));
    }
    if (!serving.empty()) interrupt_tiles(ranks_.us(), serving);
  });
}

void RankWorker::serve() {
  while (true) {
    if (!tiles_.empty() && serve_tiles(ranks_.us(), tiles_)) continue;
    RankMessage message = ranks_.wait();
    const auto task = message.take<RankTask>();
    if (task == RankTask::end) return;
    try {
      if (!grids_.carry_out(task, message)) carry_out(task, message);
    } catch (const Error&) {
      // All agreed that it failed, and rank 0 tells.
    }
  }
}

void RankWorker::carry_out(RankTask task, RankMessage& message) {
  switch (task) {
    case RankTask::devices:
      find_devices(message);
      break;
    case RankTask::speeds:
      measure_speed(message);
      break;
    case RankTask::open_tiles:
      make_tiles(message);
      break;
    case RankTask::share_memory:
      try_memory();
      break;
    case RankTask::note:
      hear_note(message);
      break;
    default:
      throw std::logic_error("rank 0 commands what no rank knows");
  }
}

bool RankWorker::shares_memory() {
  if (shares_memory_) return *shares_memory_;
  if (site_.place().locals < us().size()) return *(shares_memory_ = false);
  RankMessage message = ranks_.begin(RankTask::share_memory);
  ranks_.command(message);
  return *(shares_memory_ = try_memory());
}

bool RankWorker::try_memory() { return RankCrew::works(us()); }

void RankWorker::end() {
  RankMessage message = ranks_.begin(RankTask::end);
  ranks_.command(message);
}

void RankWorker::note(const std::string& text) {
  if (hear_) hear_(text);  // at once: telling others takes as long as one that is lost
  RankMessage message = ranks_.begin(RankTask::note).put(text);
  ranks_.command(message);
}

void RankWorker::hear_note(RankMessage& message) {
  const std::string text = message.take_text();
  if (hear_) hear_(text);
}

std::vector<RankMessage> RankWorker::find_devices(RankMessage& message) {
  const std::string name = message.take_text();
  RankDevice found;
  found.threads = site_.place().threads;
  try {
    const PartDevice part = site_.device(name);
    found.place = site_.place().host + ' ' + part.driver->device_name(part.device.index);
    found.name = part.device.name;
    found.memory = part.device.memory;
    found.software = part.device.software;
  } catch (const InputError& error) {
    found.missing = error.what();
  }
  return ranks_.gather(RankMessage()
                           .put(found.place)
                           .put(found.name)
                           .put(found.missing)
                           .put(found.memory)
                           .put(found.software)
                           .put(found.threads));
}

std::vector<RankDevice> RankWorker::devices(const std::string& name) {
  RankMessage message = ranks_.begin(RankTask::devices).put(name);
  ranks_.command(message);
  std::vector<RankDevice> all;
  for (RankMessage& each : find_devices(message)) {
    RankDevice& found = all.emplace_back();
    found.place = each.take_text();
    found.name = each.take_text();
    found.missing = each.take_text();
    found.memory = each.take<std::int64_t>();
    found.software = each.take<bool>();
    found.threads = each.take<int>();
  }
  return all;
}

std::vector<RankMessage> RankWorker::measure_speed(RankMessage& message) {
  const std::string device = message.take_text(), name = message.take_text();
  const auto tuning = message.take<Tuning>();
  double speed = 0;
  ranks_.together([&] {
    const Kernel kernel = site_.kernel(device, name);
    speed = measured_speed(kernel, site_.tuning(kernel, tuning));
  });
  return ranks_.gather(RankMessage().put(speed));
}

std::vector<double> RankWorker::speeds(const std::string& device, const std::string& kernel,
                                       const Tuning& tuning) {
  RankMessage message = ranks_.begin(RankTask::speeds).put(device).put(kernel).put(tuning);
  ranks_.command(message);
  std::vector<double> all;
  for (RankMessage& each : measure_speed(message)) all.push_back(each.take<double>());
  return all;
}

std::vector<TileShare> RankWorker::open_tiles(const TileOrder& order) {
  const std::uint64_t number = next_++;
  RankMessage message = ranks_.begin(RankTask::open_tiles)
                            .put(number)
                            .put(order.device)
                            .put(order.kernel)
                            .put(order.tuning);
  put_spec(message, order.spec);
  message.put(std::span<const std::int64_t>(order.memory));
  ranks_.command(message);
  std::vector<TileShare> shares;
  for (RankMessage& each : make_tiles(message)) {
    const std::size_t rank = shares.size();
    const auto speed = each.take<double>();
    const auto facts = each.take<ServedFacts>();
    auto device = std::make_shared<std::unique_ptr<TileDevice>>();
    if (rank == 0) {
      *device = std::move(tiles_.extract(number).mapped().device);
    } else {
      *device = std::make_unique<RankTiles>(ranks_.us(), static_cast<int>(rank), number,
                                            open_[rank], facts);
    }
    shares.push_back({[device] { return std::move(*device); }, speed});
  }
  return shares;
}

std::vector<RankMessage> RankWorker::make_tiles(RankMessage& message) {
  const auto number = message.take<std::uint64_t>();
  const std::string name = message.take_text(), kernel_name = message.take_text();
  const auto tuning = message.take<Tuning>();
  BackendSpec spec = take_spec(message);
  spec.max_memory = message.take_all<std::int64_t>()[static_cast<std::size_t>(ranks_.us().rank())];
  if (begin_tiles_) begin_tiles_();
  std::unique_ptr<TileDevice> device;
  double speed = 0;
  ranks_.together([&] {
    const Kernel kernel = site_.kernel(name, kernel_name);
    const Tuning tuned = Tunings().complete(kernel, spec, site_.tuning(kernel, tuning)).tuning;
    device = tiles_of(*kernel.create(spec, tuned));
    speed = visits_per_second(kernel, tuned);
  });
  RankMessage told;
  told.put(speed).put(facts_of(*device));
  tiles_[number] = {std::move(device)};
  return ranks_.gather(std::move(told));
}

}  // namespace tessera
