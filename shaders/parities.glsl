// Sums of words by multiplications, where a device's multipliers are separate from its logic. A
// parity is a sum less twice the majority, a^b^c = a+b+c - 2*maj(a,b,c), in every bit and so for
// whole words including carries. To be included after the parameters `p`.

uint sum_of(uint a, uint b) { return a * p.one + b; }
uint parity_of(uint a, uint b, uint majority) { return majority * p.minus_two + sum_of(a, b); }
