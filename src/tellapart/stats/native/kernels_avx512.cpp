// Kernels for AVX-512: 64 shuffles at once. With TELLAPART_SIMDE they run on any machine, slowly: a
// test does that, since few machines have AVX-512.
#include <algorithm>
#include <numeric>

#include "kernels.hpp"
#include "stream.hpp"

#ifdef TELLAPART_SIMDE
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512/add.h>
#include <simde/x86/avx512/broadcast.h>
#include <simde/x86/avx512/loadu.h>
#include <simde/x86/avx512/madd.h>
#include <simde/x86/avx512/set1.h>
#include <simde/x86/avx512/setzero.h>
#include <simde/x86/avx512/shuffle.h>
#include <simde/x86/avx512/slli.h>
#include <simde/x86/avx512/srli.h>
#include <simde/x86/avx512/sub.h>
#undef _mm512_madd_epi16  // which some versions take for one with a mask
#define _mm512_madd_epi16(a, b) simde_mm512_madd_epi16(a, b)
#elif defined(__AVX512BW__)
#include <immintrin.h>
#endif

#if defined(TELLAPART_SIMDE) || defined(__AVX512BW__)

namespace tellapart {
namespace avx512 {

typedef __m512i Vector;

inline Vector zeros() { return _mm512_setzero_si512(); }
inline Vector loaded(const uint8_t* at) { return _mm512_loadu_si512(at); }
inline Vector repeated(const uint8_t* sixteen) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(sixteen)));
}
inline Vector looked_up(Vector table, Vector places) { return _mm512_shuffle_epi8(table, places); }
inline Vector add8(Vector a, Vector b) { return _mm512_add_epi8(a, b); }
inline Vector add16(Vector a, Vector b) { return _mm512_add_epi16(a, b); }
inline Vector sub16(Vector a, Vector b) { return _mm512_sub_epi16(a, b); }
inline Vector upper_bytes(Vector a) { return _mm512_srli_epi16(a, 8); }
inline Vector to_upper_bytes(Vector a) { return _mm512_slli_epi16(a, 8); }
inline Vector repeated32(int32_t number) { return _mm512_set1_epi32(number); }
inline Vector pair_products(Vector a, Vector b) { return _mm512_madd_epi16(a, b); }
inline Vector add32(Vector a, Vector b) { return _mm512_add_epi32(a, b); }

#include "byte_tables.inc"

}  // namespace avx512

Kernels avx512_kernels() { return avx512::kernels; }
bool avx512_compiled() { return true; }

}  // namespace tellapart

#else

namespace tellapart {

Kernels avx512_kernels() { return portable_kernels(); }
bool avx512_compiled() { return false; }

}  // namespace tellapart

#endif
