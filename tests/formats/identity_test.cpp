#include <doctest/doctest.h>

#include "core/pattern_io.h"
#include "gzip_bytes.h"
#include "random_pattern.h"
#include "tests/support/as_written.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("what is written is read back, in every format, plain and packed") {
  RandomPatterns patterns(20);
  for (int i = 0; i < 3000; i++) {
    const Pattern p = patterns.next();
    for (const PatternFormat format :
         {PatternFormat::rle, PatternFormat::cells, PatternFormat::life105, PatternFormat::life106,
          PatternFormat::macrocell}) {
      const Pattern expected = as_written(p, format);
      const std::string text = format_pattern(p, format);
      CAPTURE(text);
      CHECK(parse_pattern(text, "stdin") == expected);
      // The same after edits elsewhere: line ends of other systems, a byte order mark.
      std::string edited = "\xef\xbb\xbf";
      for (const char c : text) edited += c == '\n' ? std::string("\r\n") : std::string(1, c);
      CHECK(parse_pattern(edited, "stdin") == expected);
      CHECK(parse_pattern(gzipped(text), "stdin") == expected);
      CHECK(format_pattern(expected, format) == text);
    }
  }
}
