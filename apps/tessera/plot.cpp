#include "apps/tessera/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "apps/common/outputs.h"
#include "apps/measure/child.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/atomic_file.h"

namespace tessera {

namespace {

bool is_svg(const std::string& path) { return path.ends_with(".svg"); }

// A gnuplot string for exactly this text, line by line.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (at > 0) out += "\\n";
    for (const char c : printable(text.substr(at, end - at))) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    at = end + 1;
  }
  return out + '"';
}

// Gnuplot draws into a file of its own, which then becomes `path`.
void draw(const std::string& path, double height, const std::string& script) {
  const ScratchFolder folder;
  const std::string drawn = folder.file("plot");
  const std::string terminal =
      is_svg(path)
          ? fmt::format("svg size 900,{:.0f} noenhanced font 'sans,14' background 'white'", height)
          : fmt::format("pngcairo size 900,{:.0f} noenhanced font 'sans,11'", height);
  const std::string whole = fmt::format(
      "set terminal {}\nset output {}\nset border 3\nset tics nomirror out\nset grid xtics ytics "
      "back lt 1 lc rgb '#dddddd'\n{}"
      "unset output\n",
      terminal, quoted(drawn), script);
  const ChildResult result = run_child({"gnuplot"}, whole);
  std::ifstream file(drawn, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (result.status != 0 || bytes.empty()) {
    throw FileError(fmt::format("--plot {}: gnuplot failed with status {}: {}", printable(path),
                                result.status,
                                result.messages.empty() ? "no reason given" : result.messages));
  }
  AtomicFile out(path);
  out.write(bytes);
  out.commit();
}

constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#000000", "#999999"};

}  // namespace

void check_plot(const std::string& path) {
  if (!is_svg(path) && !path.ends_with(".png")) {
    throw InputError(fmt::format(
        "--plot {}: the suffix names the format; .svg and .png are accepted", printable(path)));
  }
  check_writable("--plot", path);
  if (!has_program("gnuplot")) {
    throw InputError(
        fmt::format("--plot {}: plots need the program gnuplot, which is not installed or not in "
                    "PATH (Debian's "
                    "package gnuplot-nox); --json has the numbers without it",
                    printable(path)));
  }
}

void plot_lines(const std::string& path, const std::string& title, const std::string& y_title,
                const std::vector<PlotLine>& lines) {
  std::string script = fmt::format(
      "set title {}\nset xlabel 'cells per side'\nset ylabel {}\nset logscale x 2\nset logscale y "
      "10\n"
      "set format y '%.0e'\nset key bottom right opaque\n",
      quoted(title), quoted(y_title));
  double least = 0, most = 0;
  for (const PlotLine& line : lines) {
    for (const PlotPoint& p : line.points) {
      least = least > 0 ? std::min(least, p.x) : p.x;
      most = std::max(most, p.x);
    }
  }
  script += fmt::format("set xrange [{}:{}]\n", least / 1.25, most * 1.25);
  std::string parts;
  std::size_t number = 0;
  for (const PlotLine& line : lines) {
    const char* colour = kColours[line.colour % std::size(kColours)];
    number++;
    const std::string separator = parts.empty() ? "plot " : ", \\\n  ";
    if (line.points.empty()) {
      parts += fmt::format("{}{} with lines dashtype 2 lw 2 lc rgb '{}' title {}", separator,
                           line.level, colour, quoted(line.label));
      continue;
    }
    script += fmt::format("$line{} << END\n", number);
    for (const PlotPoint& p : line.points) {
      script += fmt::format("{} {} {} {}\n", p.x, p.value, p.lowest, p.highest);
    }
    script += "END\n";
    parts += fmt::format(
        "{0}$line{1} using 1:2:3:4 with yerrorlines lw 2 pt 7 ps 0.6 lc rgb '{2}' title {3}",
        separator, number, colour, quoted(line.label));
  }
  if (most <= 0)
    throw InputError(fmt::format("--plot {}: there is nothing to plot", printable(path)));
  draw(path, 560, script + parts + "\n");
}

void plot_bars(const std::string& path, const std::string& title, const std::string& value_title,
               const std::vector<PlotBar>& bars) {
  if (bars.empty())
    throw InputError(fmt::format("--plot {}: there is nothing to plot", printable(path)));
  double least = bars.front().value, most = 0;
  bool ceilings = false;
  for (const PlotBar& bar : bars) {
    least = std::min(least, bar.value);
    most = std::max({most, bar.highest, bar.ceiling});
    ceilings |= bar.ceiling > 0;
  }
  const double left = least / 3;
  std::string script = fmt::format(
      "set title {}\nset xlabel {}\nset logscale x 10\nset format x '%.0e'\nset xrange [{}:{}]\n"
      "set yrange [{}:-1]\nset style fill solid 0.8 noborder\nunset key\n"
      "unset grid\nset grid xtics back lt 1 lc rgb '#dddddd'\nset ytics (",
      quoted(title),
      quoted(value_title + "; black: lowest to highest run" +
             (ceilings ? "; orange: measured ceiling of the device" : "")),
      left, most * 2, bars.size());
  std::string data = "$bars << END\n";
  for (std::size_t i = 0; i < bars.size(); i++) {
    script += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(bars[i].label), i);
    data += fmt::format("{} {} {} {} {}\n", i, bars[i].value, bars[i].lowest, bars[i].highest,
                        bars[i].ceiling > 0 ? bars[i].ceiling : 0.0);
  }
  script += ")\n" + data + "END\n";
  script += fmt::format(
      "plot $bars using 2:1:({}):2:($1-0.35):($1+0.35) with boxxyerror lc rgb '#0072b2', \\\n"
      "  $bars using 2:1:3:4 with xerrorbars pt -1 lw 1.5 lc rgb '#000000'",
      left);
  if (ceilings) {
    script +=
        ", \\\n  $bars using ($5>0?$5:NaN):($1-0.42):(0):(0.84) with vectors nohead lw 3 lc rgb "
        "'#d55e00'";
  }
  draw(path, 150 + 28 * static_cast<double>(bars.size()), script + "\n");
}

}  // namespace tessera
