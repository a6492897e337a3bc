#include "apps/viewer/window/clipboard.h"

#include <SDL.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/cells/rasterize.h"
#include "core/pattern_io.h"

namespace tessera {
namespace {

// More text in the clipboard than this harms other programs.
constexpr std::int64_t kMostClipboardCells = std::int64_t{1} << 26;

// What was copied, and its text for the system's clipboard.
struct Clip {
  std::shared_ptr<const CellGrid> cells;
  std::string text;
};

Clip clip_of(Document& document, const RuleSpec& spec) {
  Clip clip{std::make_shared<const CellGrid>(document.selected()), ""};
  const std::vector<Piece> pieces{{{0, 0}, *clip.cells}};
  const Rect box = pieces.front().rect();
  PieceList source(box, pieces);
  Pattern pattern;
  pattern.cells = runs_of(source, &pattern.planes);
  pattern.width = box.width;
  pattern.height = box.height;
  pattern.rule = RuleSpec{.rule = spec.rule, .odd_rule = spec.odd_rule};
  if (pattern.width * pattern.height <= kMostClipboardCells)
    clip.text = format_pattern(pattern, PatternFormat::rle);
  return clip;
}

std::string system_text() {
  char* system = SDL_GetClipboardText();
  std::string text = system ? system : "";
  SDL_free(system);
  return text;
}

// Throws InputError, naming the clipboard, when the text is no pattern that can be pasted.
CellGrid cells_of(const std::string& text) {
  const Pattern pattern = parse_pattern(text, "clipboard");
  const std::optional<Bounds> box = pattern.cells.bounds();
  const std::int64_t width = box ? std::max(pattern.width, box->xmax + 1) : pattern.width;
  const std::int64_t height = box ? std::max(pattern.height, box->ymax + 1) : pattern.height;
  if (width < 1 || height < 1) throw InputError("clipboard: the pattern has no cells");
  if (width > kMostClipboardCells / height)
    throw InputError("clipboard: the pattern is too large to paste; open it as a file");
  const auto planes = static_cast<int>(pattern.planes.size());
  CellGrid cells(width, height, std::max(1, planes));
  if (planes == 0) draw_runs(pattern.cells, {}, cells.plane(0), {});
  for (int p = 0; p < planes; p++)
    draw_runs(pattern.planes[static_cast<std::size_t>(p)], {}, cells.plane(p), {});
  return cells;
}

}  // namespace

void Clipboard::copy(bool cut) {
  work_.ask<Clip>(
      [cut](Engine& engine) {
        Clip clip = clip_of(engine.document(), engine.universe().spec());
        if (cut) engine.document().cut();
        return clip;
      },
      [this](Clip clip) {
        cells_ = clip.cells;
        text_ = clip.text;
        if (clip.text.empty()) {
          work_.tell("Too large for the system's clipboard; it can still be pasted here", false);
        } else if (SDL_SetClipboardText(clip.text.c_str()) != 0) {
          work_.tell(fmt::format("The system's clipboard takes no text: {}", SDL_GetError()), true);
        }
      });
}

std::shared_ptr<const CellGrid> Clipboard::paste() const {
  const std::string text = system_text();
  if (text.empty() || text == text_) {
    if (!cells_) work_.tell("The clipboard is empty", true);
    return cells_;
  }
  try {
    return std::make_shared<const CellGrid>(cells_of(text));
  } catch (const Error& error) {
    work_.tell(error.what(), true);
  } catch (const std::exception& error) {
    work_.tell(fmt::format("clipboard: {}", error.what()), true);
  }
  return nullptr;
}

}  // namespace tessera
