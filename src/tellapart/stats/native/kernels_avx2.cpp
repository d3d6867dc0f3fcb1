// Kernels for AVX2: 32 shuffles at once, by tables. The 16 sums of a column over four units fit a
// 16-byte table, and one byte-shuffle instruction looks up as many shuffles as a vector has bytes.
#include <algorithm>
#include <numeric>

#include "kernels.hpp"
#include "stream.hpp"

#ifdef __AVX2__
#include <immintrin.h>

namespace tellapart {
namespace avx2 {

typedef __m256i Vector;

inline Vector zeros() { return _mm256_setzero_si256(); }
inline Vector loaded(const uint8_t* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
inline Vector repeated(const uint8_t* sixteen) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(sixteen)));
}
inline Vector looked_up(Vector table, Vector places) { return _mm256_shuffle_epi8(table, places); }
inline Vector add16(Vector a, Vector b) { return _mm256_add_epi16(a, b); }
inline Vector sub16(Vector a, Vector b) { return _mm256_sub_epi16(a, b); }
inline Vector upper_bytes(Vector a) { return _mm256_srli_epi16(a, 8); }
inline Vector to_upper_bytes(Vector a) { return _mm256_slli_epi16(a, 8); }
inline Vector repeated32(int32_t number) { return _mm256_set1_epi32(number); }
inline Vector pair_products(Vector a, Vector b) { return _mm256_madd_epi16(a, b); }
inline Vector add32(Vector a, Vector b) { return _mm256_add_epi32(a, b); }

#include "shared_kernels.inc"

constexpr int64_t kBlock = 128;               // shuffles handled together, in kWide vectors
constexpr int kWide = kBlock / sizeof(Vector);
constexpr int64_t kBlockBytes = kChunkNibbles * kBlock;
static_assert(255 * kChunkNibbles <= UINT16_MAX, "the bytes of a chunk add up to 16 bits");

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

constexpr int64_t kHalf = sizeof(Vector) / 2;

// Adds 16-bit sums of as many shuffles as a vector has bytes to 32-bit ones: those of every other
// shuffle from the first on, then the others. `all` has both, the others as upper bytes.
void add_sums(Vector all, Vector others, int32_t* sums) {
  const Vector every_other = sub16(all, to_upper_bytes(others));
  uint16_t first[kHalf], second[kHalf];
  __builtin_memcpy(first, &every_other, sizeof first);
  __builtin_memcpy(second, &others, sizeof second);
  for (int64_t k = 0; k < kHalf; ++k) sums[k] += first[k];
  for (int64_t k = 0; k < kHalf; ++k) sums[kHalf + k] += second[k];
}

// Adds the look-ups of one chunk to the sums of one plane for kBlock shuffles. Pairs of bytes are
// added up as numbers of 16 bits, and the upper ones once more by themselves.
void add_entries(const Plane& plane, uint32_t first, uint32_t end, const uint8_t* nibbles,
                 int32_t* sums) {
  Vector all[kWide], others[kWide];
  for (int v = 0; v < kWide; ++v) all[v] = others[v] = zeros();
  for (uint32_t entry = first; entry < end; ++entry) {
    const Vector table = repeated(plane.tables.data() + 16 * entry);
    const uint8_t* row = nibbles + plane.nibbles[entry] * kBlock;
    for (int v = 0; v < kWide; ++v) {
      const Vector bytes = looked_up(table, loaded(row + sizeof(Vector) * v));
      all[v] = add16(all[v], bytes);
      others[v] = add16(others[v], upper_bytes(bytes));
    }
  }
  for (int v = 0; v < kWide; ++v)
    add_sums(all[v], others[v], sums + sizeof(Vector) * v);
}

void subset_sums(const Plan& plan, const std::vector<int32_t>& columns, const uint64_t* seeds,
                 int64_t n, double* out) {
  int64_t planes = 0;
  for (int32_t k : columns) planes += plan.tables[k].planes.size();
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
      for (int32_t k : columns)
        for (const Plane& plane : plan.tables[k].planes) {
          const uint32_t first = chunk == 0 ? 0 : plane.chunk_ends[chunk - 1];
          const uint32_t end = plane.chunk_ends[chunk];
          if (first < end) add_entries(plane, first, end, block, plane_sums);
          plane_sums += kShard;
        }
    }
  }
  const int32_t* plane_sums = sums.data();
  for (int32_t k : columns) {
    const Column& column = plan.tables[k];
    for (int64_t r = 0; r < kShard; ++r) out[r] = static_cast<double>(column.offset);
    for (const Plane& plane : column.planes) {
      const double weight = static_cast<double>(int64_t{1} << plane.shift);
      for (int64_t first = 0; first < kShard; first += 2 * kHalf)
        for (int64_t k = 0; k < kHalf; ++k) {
          out[first + 2 * k] += weight * plane_sums[first + k];
          out[first + 2 * k + 1] += weight * plane_sums[first + kHalf + k];
        }
      plane_sums += kShard;
    }
    out += kShard;
  }
}

// Resamples of small numbers as a product of matrices: how often each unit is drawn by its row, two
// units at a time.
constexpr int64_t kColumns = sizeof(Vector) / 4;  // of a vector of 32-bit sums
constexpr int64_t kWideColumns = 2 * kColumns;
constexpr int64_t kChunkPairs = 128;  // whose rows stay in the first-level cache
constexpr int64_t kTogether = 4;      // resamples whose sums are held in registers

void add_products(const int16_t* rows, const int16_t* weights, int64_t width, int64_t pairs,
                  int32_t* sums) {
  Vector found[kTogether][2];
  for (int r = 0; r < kTogether; ++r)
    for (int v = 0; v < 2; ++v)
      __builtin_memcpy(&found[r][v], sums + r * kWideColumns + v * kColumns, sizeof(Vector));
  for (int64_t pair = 0; pair < pairs; ++pair) {
    const auto* row = reinterpret_cast<const uint8_t*>(rows + pair * 2 * kWideColumns);
    const Vector left = loaded(row), right = loaded(row + sizeof(Vector));
    for (int r = 0; r < kTogether; ++r) {
      int32_t both;
      __builtin_memcpy(&both, weights + r * width + 2 * pair, sizeof both);
      const Vector times = repeated32(both);
      found[r][0] = add32(found[r][0], pair_products(left, times));
      found[r][1] = add32(found[r][1], pair_products(right, times));
    }
  }
  for (int r = 0; r < kTogether; ++r)
    for (int v = 0; v < 2; ++v)
      __builtin_memcpy(sums + r * kWideColumns + v * kColumns, &found[r][v], sizeof(Vector));
}

// Rows of 16-bit numbers, two units side by side: groups of columns × pairs of units.
std::vector<int16_t> in_pairs(const Resamples& work, int64_t pairs) {
  const int64_t groups = (work.columns + kWideColumns - 1) / kWideColumns;
  std::vector<int16_t> found(groups * pairs * 2 * kWideColumns, 0);
  for (int64_t unit = 0; unit < work.units; ++unit)
    for (int64_t c = 0; c < work.columns; ++c) {
      const int64_t row = c / kWideColumns * pairs + unit / 2;
      found[2 * (row * kWideColumns + c % kWideColumns) + unit % 2] =
          static_cast<int16_t>(work.rows[unit * work.columns + c]);
    }
  return found;
}

// Those resamples of one stream whose rows and numbers of draws are small.
void sum_weighted(const Resamples& work, int64_t first, const std::vector<int16_t>& rows,
                  Draws& draws, std::vector<int16_t>& weights) {
  const int64_t pairs = (work.units + 1) / 2, width = 2 * pairs;
  const int64_t n = std::min(kResamples, work.n - first);
  std::fill(weights.begin(), weights.end(), 0);
  for (int64_t r = 0; r < n; ++r) {
    int16_t* own = weights.data() + r * width;
    draws.each(first + r, [own](int32_t unit) { ++own[unit]; });
  }
  int32_t sums[kResamples * kWideColumns];
  for (int64_t column = 0; column < work.columns; column += kWideColumns) {
    const int16_t* group = rows.data() + column * width;
    std::fill(std::begin(sums), std::end(sums), 0);
    for (int64_t pair = 0; pair < pairs; pair += kChunkPairs)
      for (int64_t r = 0; r < n; r += kTogether)
        add_products(group + pair * 2 * kWideColumns, weights.data() + r * width + 2 * pair, width,
                     std::min(kChunkPairs, pairs - pair), sums + r * kWideColumns);
    const int64_t some = std::min(work.columns - column, kWideColumns);
    for (int64_t r = 0; r < n; ++r)
      std::copy_n(sums + r * kWideColumns, some, work.out + (first + r) * work.columns + column);
  }
}

void resample_weighted(const Resamples& work) {
  const auto [largest, most] = extent(work);
  if (std::max(largest, most) > INT16_MAX || largest > INT32_MAX / most || 2 * most < work.units) {
    resample(work);
    return;
  }
  const int64_t pairs = (work.units + 1) / 2;
  const std::vector<int16_t> rows = in_pairs(work, pairs);
  std::vector<int16_t> weights(kResamples * 2 * pairs);
  Draws draws(work);
  for (int64_t first = 0; first < work.n; first += kResamples)
    sum_weighted(work, first, rows, draws, weights);
}

constexpr Kernels kernels{subset_sums, count_signed, resample_weighted};

}  // namespace avx2

Kernels avx2_kernels() { return avx2::kernels; }
bool avx2_compiled() { return true; }

}  // namespace tellapart

#else

namespace tellapart {

Kernels avx2_kernels() { return portable_kernels(); }
bool avx2_compiled() { return false; }

}  // namespace tellapart

#endif
