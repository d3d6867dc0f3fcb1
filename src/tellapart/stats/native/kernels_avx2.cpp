// Kernels for AVX2: 32 shuffles at once.
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
inline Vector add8(Vector a, Vector b) { return _mm256_add_epi8(a, b); }
inline Vector add16(Vector a, Vector b) { return _mm256_add_epi16(a, b); }
inline Vector sub16(Vector a, Vector b) { return _mm256_sub_epi16(a, b); }
inline Vector upper_bytes(Vector a) { return _mm256_srli_epi16(a, 8); }
inline Vector to_upper_bytes(Vector a) { return _mm256_slli_epi16(a, 8); }
inline Vector repeated32(int32_t number) { return _mm256_set1_epi32(number); }
inline Vector pair_products(Vector a, Vector b) { return _mm256_madd_epi16(a, b); }
inline Vector add32(Vector a, Vector b) { return _mm256_add_epi32(a, b); }

#include "byte_tables.inc"

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
