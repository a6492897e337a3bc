#pragma once

#include <string>
#include <vector>

namespace tessera {

/// Throws InputError, before anything is measured, unless a plot can be written to `path`: its
/// suffix must be .svg or .png, its folder must take files, and gnuplot must be installed.
void check_plot(const std::string& path);

/// A value with its lowest and highest.
struct PlotPoint {
  double x = 0;
  double value = 0, lowest = 0, highest = 0;
};

/// A line of points, or a level that has no points and is drawn dashed.
struct PlotLine {
  std::string label;
  std::vector<PlotPoint> points;
  double level = 0;
  std::size_t colour = 0;  ///< lines with the same number share a colour
};

/// Lines over two logarithmic scales; x counts cells per side. A title may have several lines.
/// Throws FileError.
void plot_lines(const std::string& path, const std::string& title, const std::string& y_title,
                const std::vector<PlotLine>& lines);

/// A bar, and the ceiling of what it shows, 0 for none.
struct PlotBar {
  std::string label;
  double value = 0, lowest = 0, highest = 0;
  double ceiling = 0;
};

/// Bars over a logarithmic scale, in order from top to bottom, each with its ceiling as a mark.
/// Throws FileError.
void plot_bars(const std::string& path, const std::string& title, const std::string& value_title,
               const std::vector<PlotBar>& bars);

}  // namespace tessera
