// Builds the byte tables of a plan: per column and group of four units the 16 subset sums, made
// non-negative by an offset and cut into bytes.
#include <algorithm>

#include "kernels.hpp"

namespace tellapart {
namespace {

// The 16 subset sums of a group less their minimum.
void lifted_sums(const int64_t* values, int64_t n, uint64_t* sums) {
  int64_t raw[16] = {0};
  for (int k = 0; k < 4; ++k)
    for (int bits = 0; bits < (1 << k); ++bits)
      raw[bits | (1 << k)] = raw[bits] + (k < n ? values[k] : 0);
  const int64_t lowest = *std::min_element(raw, raw + 16);
  for (int bits = 0; bits < 16; ++bits) sums[bits] = static_cast<uint64_t>(raw[bits] - lowest);
}

Plane build_plane(const int64_t* values, int64_t units, int shift) {
  Plane plane{shift, {}, {}, {}};
  for (int64_t chunk = 0; chunk < units; chunk += kChunkUnits) {
    const int64_t end = std::min(units, chunk + kChunkUnits);
    for (int64_t first = chunk; first < end; first += 4) {
      uint64_t sums[16];
      uint8_t table[16];
      lifted_sums(values + first, std::min<int64_t>(4, units - first), sums);
      for (int bits = 0; bits < 16; ++bits) table[bits] = static_cast<uint8_t>(sums[bits] >> shift);
      if (std::all_of(table, table + 16, [](uint8_t b) { return b == 0; })) continue;
      plane.tables.insert(plane.tables.end(), table, table + 16);
      plane.nibbles.push_back(static_cast<uint8_t>((first - chunk) / 4));
    }
    plane.chunk_ends.push_back(static_cast<uint32_t>(plane.nibbles.size()));
  }
  return plane;
}

Column build_column(const int64_t* values, int64_t units) {
  Column column{0, {}};
  uint64_t largest = 0;
  for (int64_t first = 0; first < units; first += 4) {
    uint64_t sum = 0;  // the largest one, once the least is taken off
    for (int64_t k = first; k < std::min(units, first + 4); ++k) {
      column.offset += std::min<int64_t>(values[k], 0);
      sum += static_cast<uint64_t>(values[k] < 0 ? -values[k] : values[k]);
    }
    largest = std::max(largest, sum);
  }
  for (int shift = 0; shift < 64 && (largest >> shift) != 0; shift += 8)
    column.planes.push_back(build_plane(values, units, shift));
  return column;
}

}  // namespace

void build_tables(const int64_t* values, Plan& plan) {
  plan.tables.reserve(plan.columns);
  for (int64_t k = 0; k < plan.columns; ++k)
    plan.tables.push_back(build_column(values + k * plan.units, plan.units));
}

}  // namespace tellapart
