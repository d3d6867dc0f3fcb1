// What the kernels compute, and the ways they are compiled: AVX2 and portable.
#pragma once
#include <cstdint>
#include <vector>

namespace tellapart {

constexpr int64_t kShard = 2048;        // shuffles that share one random stream
constexpr int64_t kChunkNibbles = 64;   // groups of four units whose bits are drawn at a time
constexpr int64_t kChunkUnits = 4 * kChunkNibbles;
constexpr int64_t kItemBlock = 65536;   // units that share one random stream; mirrors streams.py
static_assert(kItemBlock % kChunkUnits == 0, "a chunk has the bits of one stream");

// One byte of the signed-sum tables of a column: those of its groups of four units that matter,
// chunk by chunk.
struct Plane {
  int shift;                                 // this byte's place in the column's sum
  std::vector<uint8_t> tables;               // 16 bytes per entry
  std::vector<uint8_t> nibbles;              // the entry's group within its chunk
  std::vector<uint32_t> chunk_ends;          // per chunk: the number of entries up to its end
};

struct Column {
  int64_t offset;                            // what was taken off to make the tables non-negative
  std::vector<Plane> planes;
};

struct Plan {
  int64_t units, columns;
  std::vector<int64_t> values;               // columns × units; for the portable kernels only
  std::vector<Column> tables;                // filled for AVX2 only
};

// Pairs whose terms change their signs: difference - 2 × Σ weight × column, held against a threshold.
struct SignedTests {
  int64_t tests, terms;                      // of each test, some of which may have no weight
  const int32_t* columns;                    // tests × terms; -1 stands for zero
  const double* weights;                     // tests × terms
  const double *differences, *thresholds;
  const int32_t* tails;
};

// Rows of units that are drawn with replacement. Resample r draws draws[r] units; its draw j is one
// of the sizes[j] units from starts[j] on.
constexpr int64_t kResamples = 64;           // that share one random stream; mirrors bootstrap.py
struct Resamples {
  const int64_t* rows;                       // units × columns
  int64_t units, columns;
  const int64_t *starts, *sizes;
  int64_t n;
  const int64_t* draws;
  const uint64_t* seeds;                     // of each kResamples of them
  int64_t* out;                              // n × columns
};

struct Kernels {
  // Subset sums of some columns for the first n shuffles of a shard, kShard doubles for each.
  // There are seeds for each block of units.
  void (*subset_sums)(const Plan&, const std::vector<int32_t>& columns, const uint64_t* seeds,
                      int64_t n, double* out);
  // The number of those n shuffles that reach the threshold of each test.
  void (*count_signed)(const double* sums, int64_t n, const SignedTests& tests, int64_t* out);
  // Sums of rows over resamples with replacement.
  void (*resample)(const Resamples&);
};

Kernels portable_kernels();
Kernels avx2_kernels();
bool avx2_compiled();
void build_tables(const int64_t* values, Plan& plan);

}  // namespace tellapart
