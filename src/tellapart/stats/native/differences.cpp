#include "differences.hpp"

#include <algorithm>
#include <numeric>

namespace tellapart {

void pair_differences(const int64_t* values, int64_t units, const int64_t* first,
                      const int64_t* second, int64_t pairs, Difference* out) {
  for (int64_t k = 0; k < pairs; ++k) {
    const int64_t *a = values + first[k] * units, *b = values + second[k] * units;
    int64_t items = 0, total = 0, largest = 0;
    for (int64_t j = 0; j < units; ++j) {
      const int64_t d = b[j] - a[j], size = d < 0 ? -d : d;
      items += size != 0;
      total += size;
      largest = std::max(largest, size);
    }
    int64_t step = largest;
    for (int64_t j = 0; j < units && step > 1; ++j) step = std::gcd(step, b[j] - a[j]);
    out[k] = {items, total, largest, step};
  }
}

}  // namespace tellapart
