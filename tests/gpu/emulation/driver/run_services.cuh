// The services of a layout by their names, for a source that includes services.cu.
#ifndef TESSERA_RUN_SERVICES_CUH
#define TESSERA_RUN_SERVICES_CUH

#include <string>

#include "argument.cuh"

// Runs the present lane of service `name`; false where there is none of that name.
static bool run_service(const std::string& name) {
  if (name == "make_soup") {
    return make_soup(argument<u64*>(0), argument<u64>(1), argument<i64>(2), argument<u64>(3),
                     argument<u32>(4)),
           true;
  }
  if (name == "paste") {
    return paste(argument<Grid>(0), argument<void*>(1), argument<Box>(2), argument<const u64*>(3),
                 argument<i64>(4)),
           true;
  }
  if (name == "cut_out") {
    return cut_out(argument<Grid>(0), argument<const void*>(1), argument<Box>(2), argument<u64*>(3),
                   argument<i64>(4)),
           true;
  }
  if (name == "survey") {
    return survey(argument<Grid>(0), argument<const void*>(1), argument<Box>(2), argument<u32>(3),
                  argument<i64>(4), argument<i64>(5), argument<Findings*>(6)),
           true;
  }
  if (name == "count_pixels") {
    return count_pixels(argument<Grid>(0), argument<const void*>(1), argument<Box>(2),
                        argument<i64>(3), argument<i64>(4), argument<u64*>(5)),
           true;
  }
#if TESSERA_PLANES > 1
  if (name == "soup_states") {
    return soup_states(argument<u64*>(0), argument<u64>(1), argument<i64>(2), argument<u64>(3),
                       argument<u32>(4), argument<u32>(5)),
           true;
  }
  if (name == "recode") {
    return recode(argument<u64*>(0), argument<i64>(1), argument<u32>(2), argument<u32>(3),
                  argument<const u16*>(4)),
           true;
  }
  if (name == "hash_planes") {
    return hash_planes(argument<const u64*>(0), argument<i64>(1), argument<i64>(2),
                       argument<u32>(3), argument<u64>(4), argument<i64>(5), argument<i64>(6),
                       argument<Findings*>(7)),
           true;
  }
#endif
#ifdef TESSERA_LAYOUT_OWN_ROWS
  if (name == "pack_rows") {
    return pack_rows(argument<Grid>(0), argument<void*>(1), argument<i64>(2), argument<i64>(3),
                     argument<i64>(4), argument<u32*>(5)),
           true;
  }
  if (name == "unpack_rows") {
    return unpack_rows(argument<Grid>(0), argument<void*>(1), argument<i64>(2), argument<i64>(3),
                       argument<i64>(4), argument<const u32*>(5)),
           true;
  }
  if (name == "trade_rows")
    return trade_rows(argument<Grid>(0), argument<void*>(1), argument<RowTrade>(2)), true;
#endif
  if (name == "meet") {
    return meet(argument<u32*>(0), argument<u32*>(1), argument<const u32*>(2),
                argument<const u32*>(3), argument<u32>(4)),
           true;
  }
  return false;
}

#endif
