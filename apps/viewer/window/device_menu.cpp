#include "apps/viewer/window/device_menu.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "backends/drivers.h"

namespace tessera {
namespace {

std::vector<DeviceMenu::Line> list_devices() {
  const std::vector<Kernel> all = find_kernels({"all"}, {"all"});
  // The only device of its kind needs no number.
  const auto name_of = [&](const Kernel& kernel) {
    const bool alone = std::ranges::all_of(all, [&](const Kernel& each) {
      return each.driver != kernel.driver || each.device.index == kernel.device.index;
    });
    return alone ? std::string(kernel.driver->name()) : kernel.backend();
  };
  std::vector<DeviceMenu::Line> lines;
  for (const Kernel& kernel : all) {
    const std::string name = name_of(kernel);
    if (lines.empty() || lines.back().name != name)
      lines.push_back({name, fmt::format("{}  {}", name, kernel.device.name), {}});
    lines.back().kernels.push_back(kernel.info.name);
  }
  return lines;
}

}  // namespace

DeviceMenu::DeviceMenu() : listing_(std::async(std::launch::async, list_devices)) {}

const std::vector<DeviceMenu::Line>& DeviceMenu::lines() {
  if (listing_.valid() && listing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    lines_ = listing_.get();
  return lines_;
}

std::vector<DeviceMenu::Line>::const_iterator DeviceMenu::in_use(const Status& now) const {
  const auto found = std::ranges::find_if(lines_, [&](const Line& line) {
    return now.backend_name == line.name ||
           line.name.substr(0, line.name.find(':')) == now.backend.backend;
  });
  return found == lines_.end() ? lines_.begin() : found;
}

DeviceMenu::Choice DeviceMenu::next_device(const Status& now) const {
  const auto next = std::next(in_use(now));
  return {(next == lines_.end() ? lines_.begin() : next)->name, "auto"};
}

DeviceMenu::Choice DeviceMenu::next_kernel(const Status& now) {
  const auto device = in_use(now);
  const std::vector<std::string>& kernels = device->kernels;
  const bool again = tried_from_ == now.backend.kernel && std::ranges::count(kernels, tried_) > 0;
  const auto here = std::ranges::find(kernels, again ? tried_ : now.backend.kernel);
  tried_from_ = now.backend.kernel;
  tried_ = here == kernels.end() || std::next(here) == kernels.end() ? kernels.front()
                                                                     : *std::next(here);
  return {device->name, tried_};
}

}  // namespace tessera
