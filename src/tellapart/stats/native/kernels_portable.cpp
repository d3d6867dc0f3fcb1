// Kernels for any processor: one table of 256 sums per column and group of eight units.
#include "kernels.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "stream.hpp"

namespace tellapart {
namespace portable {

#include "shared_kernels.inc"

// table[bits] = the sum of those of the eight values whose bit is set.
void subset_table(const int64_t* values, int64_t n, int64_t* table) {
  table[0] = 0;
  for (int64_t k = 0; k < 8; ++k)
    for (int64_t bits = 0; bits < (1 << k); ++bits)
      table[bits | (1 << k)] = table[bits] + (k < n ? values[k] : 0);
}

bool all_zero(const int64_t* values, int64_t n) {
  for (int64_t k = 0; k < n; ++k)
    if (values[k] != 0) return false;
  return true;
}

void subset_sums(const Plan& plan, const std::vector<int32_t>& columns, const uint64_t* seeds,
                 int64_t n, double* out) {
  std::vector<int64_t> sums(columns.size() * kShard, 0);
  std::vector<uint64_t> words(kShard / 8);
  std::vector<uint8_t> bytes(kShard);
  Stream stream(seeds);
  int64_t table[256];
  for (int64_t first = 0; first < plan.units; first += 8) {
    if (first % kItemBlock == 0 && first > 0)
      stream = Stream(seeds + kSeedWords * (first / kItemBlock));
    for (int64_t block = 0; block < kShard / 64; ++block) stream.next(words.data() + 8 * block);
    for (int64_t r = 0; r < n; ++r)  // byte r, whatever the machine's byte order
      bytes[r] = static_cast<uint8_t>(words[r / 8] >> (8 * (r % 8)));
    const int64_t group = plan.units - first < 8 ? plan.units - first : 8;
    for (size_t k = 0; k < columns.size(); ++k) {
      const int64_t* values = plan.values.data() + columns[k] * plan.units + first;
      if (all_zero(values, group)) continue;
      subset_table(values, group, table);
      int64_t* column = sums.data() + k * kShard;
      for (int64_t r = 0; r < n; ++r) column[r] += table[bytes[r]];
    }
  }
  for (size_t i = 0; i < sums.size(); ++i) out[i] = static_cast<double>(sums[i]);
}

}  // namespace portable

Kernels portable_kernels() {
  return {portable::subset_sums, portable::count_signed, portable::resample};
}

}  // namespace tellapart
