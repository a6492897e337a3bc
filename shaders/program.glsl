// Rules that do not count their neighbours: row_signals and program_of are empty here, and
// backends/vulkan/program_module puts the rule's gates into them. With TESSERA_STATES, where a cell's
// code has several planes, next_states is empty here, too. Where two rules take turns, odd_program_of
// is that of the second one, and row_signals makes what either reads.

layout(constant_id = TESSERA_SPEC_ABOVE) const uint ABOVE = 0;
layout(constant_id = TESSERA_SPEC_BELOW) const uint BELOW = 0;

// What a program may read of a row: the word to the left, the word, the word to the right, functions
// of these three.
const uint SIGNALS = 3 + TESSERA_ROW_FUNCTIONS, CENTRE = 1;
uint[SIGNALS] row_signals(const uint left, const uint centre, const uint right) {
  return uint[SIGNALS](left, centre, right, left, left, left, left, left, left, left, left, left, left, left, left,
                       left, left, left, left);
}

// The exclusive or of three words of which the majority is there, too. The program's gates call it; who includes this may know a
// faster way.
#ifndef PROGRAM_PARITY
#define PROGRAM_PARITY(a, b, c, majority) (a ^ b ^ c)
#endif
uint program_parity(const uint a, const uint b, const uint c, const uint majority) {
  return PROGRAM_PARITY(a, b, c, majority);
}

// The next state of a row of words. What is called here stays in the module.
uint program_of(const uint above[SIGNALS], const uint here[SIGNALS], const uint below[SIGNALS]) {
  return program_parity(above[0], here[0], below[0], above[0]);
}

layout(constant_id = TESSERA_SPEC_TURNS) const uint TURNS = 0;
uint odd_program_of(const uint above[SIGNALS], const uint here[SIGNALS], const uint below[SIGNALS]) {
  return above[0] ^ here[0] ^ below[0];
}

#ifdef TESSERA_STATES
// The bit planes of a word of cells after a generation, from those before it and what
// program_of says.
uint[TESSERA_MOST_BIT_PLANES] next_states(const uint own[TESSERA_MOST_BIT_PLANES], const uint lives) { return own; }
#endif
