#include "apps/viewer/window/population_graph.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "apps/common/units.h"

namespace tessera {
namespace {

constexpr float kTick = 4;

// "9,500", "12k", "3.4M": short enough for an axis.
std::string short_number(double value) {
  if (value < 10000) return grouped(std::llround(value));
  const char* unit = "";
  for (const char* next : {"k", "M", "G", "T", "P", "E"}) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  return fmt::format("{:.4g}{}", value, unit);
}

// 1, 2 or 5 times a power of ten, at least 1, of which `range` has at most `most`.
double tick_distance(double range, int most) {
  const double least = std::max(1.0, range / most);
  const double ten = std::pow(10, std::floor(std::log10(least)));
  for (const double nice : {1.0, 2.0, 5.0}) {
    if (nice * ten >= least) return nice * ten;
  }
  return 10 * ten;
}

// The part of Dear ImGui's window that a graph fills: numbers on the left and below, and the curve.
class Graph {
 public:
  Graph(const Status& status, float width, float height)
      : samples_(status.populations),
        first_(static_cast<double>(samples_.front().first)),
        last_(std::max(first_ + 1, static_cast<double>(samples_.back().last))),
        text_(ImGui::GetTextLineHeight()) {
    double most = 1;
    for (const PopulationSample& each : samples_)
      most = std::max(most, static_cast<double>(each.high));
    distance_ = tick_distance(most, std::max(1, static_cast<int>(height / (2 * text_))));
    top_ = distance_ * std::ceil(most / distance_);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    float gutter = 0;
    for (double y = 0; y <= top_; y += distance_)
      gutter = std::max(gutter, ImGui::CalcTextSize(short_number(y).c_str()).x);
    corner_ = {std::round(at.x + gutter + 2 * kTick), std::round(at.y + text_ / 2)};
    end_ = {std::round(at.x + width), std::round(at.y + height - text_ - kTick)};
  }

  void axes(ImDrawList& list) const {
    const ImU32 line = ImGui::GetColorU32(ImGuiCol_Border);
    const ImU32 ink = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    for (double value = 0; value <= top_; value += distance_) {
      const std::string text = short_number(value);
      const float at = std::round(y(value));  // or else it would be blurred
      list.AddLine({corner_.x, at}, {end_.x, at}, line);
      list.AddText({corner_.x - 2 * kTick - ImGui::CalcTextSize(text.c_str()).x, at - text_ / 2},
                   ink, text.c_str());
    }
    list.AddLine(corner_, {corner_.x, end_.y}, line);
    const float room = ImGui::CalcTextSize("0,000,000").x;
    const double every =
        tick_distance(last_ - first_, std::max(1, static_cast<int>((end_.x - corner_.x) / room)));
    for (double value = every * std::ceil(first_ / every); value <= last_; value += every) {
      const std::string text = short_number(value);
      const float wide = ImGui::CalcTextSize(text.c_str()).x;
      const float at = std::round(x(value));
      list.AddLine({at, end_.y}, {at, end_.y + kTick}, ink);
      list.AddText(
          {std::clamp(at - wide / 2, corner_.x - 2 * kTick, end_.x - wide), end_.y + kTick}, ink,
          text.c_str());
    }
  }

  // From the least to the greatest population of each sample, and on to the next sample.
  void curve(ImDrawList& list) const {
    const ImU32 ink = ImGui::GetColorU32(ImGuiCol_PlotLines);
    std::vector<ImVec2> points;
    for (const PopulationSample& each : samples_) {
      const float at = x((static_cast<double>(each.first) + static_cast<double>(each.last)) / 2);
      points.push_back({at, y(static_cast<double>(each.low))});
      if (each.low != each.high) points.push_back({at, y(static_cast<double>(each.high))});
    }
    list.AddPolyline(points.data(), static_cast<int>(points.size()), ink, 0, 1.5f);
  }

  void now(ImDrawList& list, std::int64_t generation) const {
    const float at = x(std::clamp(static_cast<double>(generation), first_, last_));
    list.AddLine({at, corner_.y}, {at, end_.y}, ImGui::GetColorU32(ImGuiCol_TextDisabled));
  }

  // What the mouse is on.
  std::string told(float mouse) const {
    const double generation =
        first_ + static_cast<double>((mouse - corner_.x) / std::max(1.0f, end_.x - corner_.x)) *
                     (last_ - first_);
    const auto after = std::ranges::lower_bound(
        samples_, generation, {},
        [](const PopulationSample& each) { return static_cast<double>(each.last); });
    const PopulationSample& at = after == samples_.end() ? samples_.back() : *after;
    const auto range = [](std::int64_t low, std::int64_t high) {
      return low == high ? grouped(low) : grouped(low) + " to " + grouped(high);
    };
    return fmt::format("Generation {}\nPopulation {}", range(at.first, at.last),
                       range(at.low, at.high));
  }

 private:
  float x(double generation) const {
    return corner_.x +
           static_cast<float>((generation - first_) / (last_ - first_)) * (end_.x - corner_.x);
  }
  float y(double population) const {
    return end_.y - static_cast<float>(population / top_) * (end_.y - corner_.y);
  }

  const std::vector<PopulationSample>& samples_;
  double first_, last_;
  float text_;  // height of a line
  double distance_ = 1, top_ = 1;
  ImVec2 corner_, end_;  // of the curve: top left and bottom right
};

}  // namespace

std::string draw_population_graph(const Status& status, float width, float height) {
  if (status.populations.empty()) return "";
  const Graph graph(status, width, height);
  ImGui::InvisibleButton("##population", {width, height});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  graph.axes(list);
  graph.curve(list);
  if (status.generation < status.populations.back().last) graph.now(list, status.generation);
  return ImGui::IsItemHovered() ? graph.told(ImGui::GetIO().MousePos.x) : "";
}

}  // namespace tessera
