// The rule of the module that runs, which the pretended compiler was given: its gates are carried
// out one by one.
#ifndef TESSERA_EMULATED_RULE_CUH
#define TESSERA_EMULATED_RULE_CUH

#define TESSERA_LIFE 0
#define TESSERA_SUM_T0 0
#define TESSERA_SUM_U0 0

unsigned int tessera_tail(unsigned int t0, unsigned int k, unsigned int u0, unsigned int u1,
                          unsigned int x);

#endif
