// A chunk holds the code of a cell in BIT_PLANES planes of words, which lie behind each other. No
// state but 0 has a code without bits (core/rules/state_program.h). To be included after `own` and
// the parameters `p`.

layout(constant_id = TESSERA_SPEC_BIT_PLANES) const uint BIT_PLANES = 1;

// The cells of the word at a place of the first plane whose state is not 0.
uint live_word(uint at) {
  uint cells = own[at];
  for (uint n = 1; n < BIT_PLANES; n++) cells |= own[at + n * p.bit_plane];
  return cells;
}
