#pragma once

#include "core/patterns/pattern.h"
#include "core/patterns/text_sink.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// Reads the '#' lines that Life 1.05 and, by extension, Life 1.06 files begin with: "#D comment",
/// of which the first "#D Name: ...", "#D Author: ..." and "#D Generation: n" set these fields;
/// "#N", Conway's rule; "#R 23/36", another rule, here with an optional universe after it.
class LifeNotes {
 public:
  explicit LifeNotes(Pattern& pattern) : pattern_(&pattern) {}
  /// Takes a line whose '#' has been taken. Throws ParseError for a bad rule.
  void take(TextLine line);

 private:
  void take_description(TextLine& line);

  Pattern* pattern_;
  bool name_seen_ = false;
  bool author_seen_ = false;
  bool generation_seen_ = false;
};

/// Writes these lines, so that LifeNotes reads back what the pattern has.
void write_life_notes(const Pattern& pattern, TextSink& sink);

}  // namespace tessera
