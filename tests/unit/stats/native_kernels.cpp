// What the kernels for AVX-512 and the portable ones make of the same, for a test to compare.
#include <numeric>

#include "kernels.hpp"

using namespace tellapart;

extern "C" void subset_sums(int avx512, int64_t columns, int64_t units, const int64_t* values,
                            const uint64_t* seeds, int64_t n, double* out) {
  Plan plan{units, columns, {values, values + columns * units}, {}};
  std::vector<int32_t> all(columns);
  std::iota(all.begin(), all.end(), 0);
  if (avx512) build_tables(values, plan);
  (avx512 ? avx512_kernels() : portable_kernels()).subset_sums(plan, all, seeds, n, out);
}

extern "C" void resample(int avx512, int64_t columns, int64_t units, const int64_t* rows,
                         const uint64_t* seeds, int64_t n, int64_t* out) {
  const std::vector<int64_t> starts(units, 0), sizes(units, units), draws(n, units);
  (avx512 ? avx512_kernels() : portable_kernels())
      .resample({rows, units, columns, starts.data(), sizes.data(), n, draws.data(), seeds, out});
}

extern "C" int avx512_there() { return avx512_compiled(); }
