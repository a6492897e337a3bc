// The functions of three bits that a gate may compute, for GLSL and C++.
//
// GLSL has no operation for a gate given by its table, so the compiler must recognise the one
// instruction in a formula. NVIDIA's compiler does so best where formulas are short. Up to the
// order of inputs and to complements of inputs and output, the 256 functions are 14, and each has
// its shortest formula here. Written as sums of products (Reed, Muller) or as selections by one
// input, rules with long circuits take a fifth to a third longer.

#define TESSERA_GATE_SHAPES 14

uint gate_shape(uint shape, uint a, uint b, uint c) {
  if (shape == 0) return 0;
  if (shape == 1) return a;
  if (shape == 2) return a & b;
  if (shape == 3) return a ^ b;
  if (shape == 4) return a & (b & c);
  if (shape == 5) return a & (b | c);
  if (shape == 6) return a & (b ^ c);
  if (shape == 7) return a ^ (b & c);
  if (shape == 8) return a ^ (b ^ c);
  if (shape == 9) return (a ^ b) & (a ^ c);         // a differs from both
  if (shape == 10) return (a | b) & (b ^ c);        // b differs from c, and a or b
  if (shape == 11) return (a & b) | (~a & c);       // b where a, c elsewhere
  if (shape == 12) return a ^ ((a ^ b) & (a ^ c));  // at least two
  return a ^ ((a & b) | (b ^ c));                   // exactly one
}
