// The arguments of the launch that is under way.
#ifndef TESSERA_ARGUMENT_CUH
#define TESSERA_ARGUMENT_CUH

namespace {

thread_local void** given = nullptr;
template <class Type>
const Type& argument(int n) {
  return *static_cast<const Type*>(given[n]);
}

}  // namespace

#endif
