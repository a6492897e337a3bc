// 64-bit numbers as (low, high), for devices without them.

uvec2 wide_add(uvec2 a, uvec2 b) {
  uint carry;
  const uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}

uvec2 wide_multiply(uvec2 a, uvec2 b) {
  uint low, high;
  umulExtended(a.x, b.x, high, low);
  return uvec2(low, high + a.x * b.y + a.y * b.x);
}

uvec2 wide_shift_right(uvec2 a, uint n) {  // 1 <= n <= 31
  return uvec2(a.x >> n | a.y << (32 - n), a.y >> n);
}

// mix64 of core/cells/soup.h.
uvec2 wide_mix(uvec2 z) {
  z = wide_multiply(z ^ wide_shift_right(z, 30), uvec2(0x1CE4E5B9u, 0xBF58476Du));
  z = wide_multiply(z ^ wide_shift_right(z, 27), uvec2(0x133111EBu, 0x94D049BBu));
  return z ^ wide_shift_right(z, 31);
}
