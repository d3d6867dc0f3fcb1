// How far the values of two rows lie apart, item by item: what an exact test of them would cost.
#pragma once
#include <cstdint>

namespace tellapart {

// Of one pair; mirrors differences.DIFFERENCE in Python.
struct Difference { int64_t items, total, largest, step; };

// `values` are rows × units; `first` and `second` are rows of them.
void pair_differences(const int64_t* values, int64_t units, const int64_t* first,
                      const int64_t* second, int64_t pairs, Difference* out);

}  // namespace tellapart
