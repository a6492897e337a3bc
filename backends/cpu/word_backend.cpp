#include "backends/cpu/word_backend.h"

#include <utility>

#define TESSERA_FN inline
#define TESSERA_WORD std::uint64_t
#define TESSERA_NOT(a) (~(a))
#define TESSERA_OUT(type) type&
namespace tessera {
namespace {
#include "core/rules/bitwise_sum.inl"

using Word = std::uint64_t;

// A word with its left and right neighbours: the cells one column to the west and to the east.
struct Triple {
  Word west, centre, east;
};

Triple triple(const Word* row, std::int64_t i, std::int64_t words) {
  const Word previous = i > 0 ? row[i - 1] : 0, following = i + 1 < words ? row[i + 1] : 0;
  return {row[i] << 1 | previous >> 63, row[i], row[i] >> 1 | following << 63};
}

// Any rule from the count of the eight neighbours: one mask per count that the rule names.
Word choose(const Rule& rule, Word x, Word s3, Word s2, Word s1, Word s0) {
  Word next = 0;
  for (unsigned n = 0; n <= 8; n++) {
    const bool birth = rule.birth >> n & 1, survival = rule.survival >> n & 1;
    if (!birth && !survival) continue;
    const Word equal =
        (n & 1 ? s0 : ~s0) & (n & 2 ? s1 : ~s1) & (n & 4 ? s2 : ~s2) & (n & 8 ? s3 : ~s3);
    next |= equal & (birth && survival ? ~Word{0} : birth ? ~x : x);
  }
  return next;
}

struct Quad {
  Word s2, s1, s0;
};

Quad quad(Word a, Word b, Word c, Word d) {
  Quad q;
  tessera_add_pairs(a & b, a ^ b, c & d, c ^ d, q.s2, q.s1, q.s0);
  return q;
}

Word rule_of(const Rule& rule, Word x, const Quad& p, const Quad& q) {
  Word s3, s2, s1, s0;
  tessera_count8(p.s2, p.s1, p.s0, q.s2, q.s1, q.s0, s3, s2, s1, s0);
  return choose(rule, x, s3, s2, s1, s0);
}

Word next_single(const Rule& rule, const Triple& a, const Triple& b, const Triple& c) {
  if (rule == kLife) {
    return tessera_single_word(a.west, a.centre, a.east, b.west, b.east, c.west, c.centre, c.east,
                               b.centre);
  }
  return rule_of(rule, b.centre, quad(a.west, a.centre, a.east, b.west),
                 quad(b.east, c.west, c.centre, c.east));
}

void next_double(const Rule& rule, const Triple& a, const Triple& b, const Triple& c,
                 const Triple& d, Word& upper, Word& lower) {
  if (rule == kLife) {
    tessera_double_word(a.west, a.centre, a.east, b.west, b.east, c.west, c.east, d.west, d.centre,
                        d.east, b.centre, c.centre, upper, lower);
    return;
  }
  const Quad sides = quad(b.west, b.east, c.west, c.east);
  upper = rule_of(rule, b.centre, quad(a.west, a.centre, a.east, c.centre), sides);
  lower = rule_of(rule, c.centre, quad(d.west, d.centre, d.east, b.centre), sides);
}

}  // namespace

WordBackend::WordBackend(const BackendSpec& spec, BackendInfo info, bool two_rows)
    : RingedBackend(spec, std::move(info)), two_rows_(two_rows) {}

void WordBackend::do_step(std::int64_t generations) {
  const std::int64_t words = front_.words_per_row(), h = spec().height;
  const Rule rule = spec().rule;
  for (std::int64_t g = 0; g < generations; g++) {
    write_ring(front_, spec());
    std::int64_t y = 1;
    for (; two_rows_ && y < h; y += 2) {
      const Word *a = front_.row(y - 1), *b = front_.row(y), *c = front_.row(y + 1),
                 *d = front_.row(y + 2);
      Word *upper = back_.row(y), *lower = back_.row(y + 1);
      for (std::int64_t i = 0; i < words; i++) {
        next_double(rule, triple(a, i, words), triple(b, i, words), triple(c, i, words),
                    triple(d, i, words), upper[i], lower[i]);
      }
    }
    for (; y <= h; y++) {
      const Word *a = front_.row(y - 1), *b = front_.row(y), *c = front_.row(y + 1);
      Word* out = back_.row(y);
      for (std::int64_t i = 0; i < words; i++) {
        out[i] = next_single(rule, triple(a, i, words), triple(b, i, words), triple(c, i, words));
      }
    }
    std::swap(front_, back_);
  }
}

}  // namespace tessera
