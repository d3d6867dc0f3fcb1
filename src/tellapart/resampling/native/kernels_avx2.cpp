// Kernels for AVX2: the 16 signed sums of a column over four units fit a 16-byte table, and one
// byte-shuffle instruction looks up 32 shuffles at once.
#include "kernels.hpp"

#include <algorithm>
#include <numeric>

#include "stream.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace tellapart {

#ifdef __AVX2__
namespace avx2 {

#include "shared_kernels.inc"

constexpr int kWide = 4;                     // vectors of 32 shuffles handled together
constexpr int64_t kBlock = 32 * kWide;
constexpr int64_t kBlockBytes = kChunkNibbles * kBlock;

// Draws the bits of one chunk of units as four-bit numbers: blocks × nibbles × kBlock shuffles, so
// that what one block of shuffles needs lies together in the first-level cache.
void draw_chunk(Stream& stream, int64_t units, uint8_t* nibbles) {
  const uint64_t low = 0x0f0f0f0f0f0f0f0fULL;
  uint64_t words[kLanes];
  for (int64_t group = 0; 8 * group < units; ++group)
    for (int64_t r = 0; r < kShard; r += 8 * kLanes) {
      stream.next(words);
      auto* even = reinterpret_cast<uint64_t*>(nibbles + (r / kBlock) * kBlockBytes +
                                               2 * group * kBlock + r % kBlock);
      auto* odd = even + kBlock / 8;
      for (int lane = 0; lane < kLanes; ++lane) {
        even[lane] = words[lane] & low;
        odd[lane] = (words[lane] >> 4) & low;
      }
    }
}

inline void add_widened(int32_t* sums, __m256i sixteen) {
  auto* at = reinterpret_cast<__m256i*>(sums);
  const __m256i low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(sixteen));
  const __m256i high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(sixteen, 1));
  _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at), low));
  _mm256_storeu_si256(at + 1, _mm256_add_epi32(_mm256_loadu_si256(at + 1), high));
}

// Adds the look-ups of one chunk to the sums of one plane for kBlock shuffles.
void add_chunk(const Plane& plane, uint32_t first_run, uint32_t end_run, const uint8_t* nibbles,
               int32_t* sums) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i low16[kWide], high16[kWide];
  for (int v = 0; v < kWide; ++v) low16[v] = high16[v] = zero;
  uint32_t entry = first_run == 0 ? 0 : plane.runs[first_run - 1];
  for (uint32_t run = first_run; run < end_run; ++run) {
    __m256i bytes[kWide] = {zero, zero, zero, zero};
    for (; entry < plane.runs[run]; ++entry) {
      const __m256i table = _mm256_broadcastsi128_si256(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(plane.tables.data() + 16 * entry)));
      const uint8_t* row = nibbles + plane.nibbles[entry] * kBlock;
      for (int v = 0; v < kWide; ++v) {
        const __m256i bits =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + 32 * v));
        bytes[v] = _mm256_add_epi8(bytes[v], _mm256_shuffle_epi8(table, bits));
      }
    }
    for (int v = 0; v < kWide; ++v) {
      low16[v] = _mm256_add_epi16(low16[v], _mm256_unpacklo_epi8(bytes[v], zero));
      high16[v] = _mm256_add_epi16(high16[v], _mm256_unpackhi_epi8(bytes[v], zero));
    }
  }
  for (int v = 0; v < kWide; ++v) {  // unpacking works within halves: put them back in order
    add_widened(sums + 32 * v, _mm256_permute2x128_si256(low16[v], high16[v], 0x20));
    add_widened(sums + 32 * v + 16, _mm256_permute2x128_si256(low16[v], high16[v], 0x31));
  }
}

void subset_sums(const Plan& plan, const uint64_t* seeds, int64_t n, double* out) {
  int64_t planes = 0;
  for (const Column& column : plan.tables) planes += column.planes.size();
  std::vector<int32_t> sums(planes * kShard, 0);
  std::vector<uint8_t> nibbles(kChunkNibbles * kShard);
  Stream stream(seeds);
  for (int64_t chunk = 0; chunk * kChunkUnits < plan.units; ++chunk) {
    if (chunk * kChunkUnits % kItemBlock == 0 && chunk > 0)
      stream = Stream(seeds + kSeedWords * (chunk * kChunkUnits / kItemBlock));
    draw_chunk(stream, std::min(kChunkUnits, plan.units - chunk * kChunkUnits), nibbles.data());
    for (int64_t r = 0; r < n; r += kBlock) {
      const uint8_t* block = nibbles.data() + (r / kBlock) * kBlockBytes;
      int32_t* plane_sums = sums.data() + r;
      for (const Column& column : plan.tables)
        for (const Plane& plane : column.planes) {
          const uint32_t first = chunk == 0 ? 0 : plane.chunk_runs[chunk - 1];
          const uint32_t end = plane.chunk_runs[chunk];
          if (first < end) add_chunk(plane, first, end, block, plane_sums);
          plane_sums += kShard;
        }
    }
  }
  const int32_t* plane_sums = sums.data();
  for (const Column& column : plan.tables) {
    for (int64_t r = 0; r < n; ++r) out[r] = static_cast<double>(column.offset);
    for (const Plane& plane : column.planes) {
      const double weight = static_cast<double>(int64_t{1} << plane.shift);
      for (int64_t r = 0; r < n; ++r) out[r] += weight * plane_sums[r];
      plane_sums += kShard;
    }
    out += kShard;
  }
}

}  // namespace avx2

Kernels avx2_kernels() { return {avx2::subset_sums, avx2::count, avx2::resample, avx2::draw}; }
bool avx2_compiled() { return true; }

#else

Kernels avx2_kernels() { return portable_kernels(); }
bool avx2_compiled() { return false; }

#endif

}  // namespace tellapart
