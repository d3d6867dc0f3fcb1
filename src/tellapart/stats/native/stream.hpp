// The random stream of one shard: eight SFC64 generators side by side, word i of a block of eight
// from generator i. NumPy's SFC64, started from the same seeds, gives the same words.
#pragma once
#include <cstdint>

namespace tellapart {

constexpr int kLanes = 8;
constexpr int kSeedWords = 3 * kLanes;

class Stream {
 public:
  explicit Stream(const uint64_t* seeds) {
    for (int lane = 0; lane < kLanes; ++lane) {
      a_[lane / 4][lane % 4] = seeds[3 * lane];
      b_[lane / 4][lane % 4] = seeds[3 * lane + 1];
      c_[lane / 4][lane % 4] = seeds[3 * lane + 2];
    }
    uint64_t discarded[kLanes];
    for (int round = 0; round < 12; ++round) next(discarded);
  }

  // Writes the next eight words, one per lane.
  inline void next(uint64_t* out) {
    for (int half = 0; half < 2; ++half) {
      Words word = a_[half] + b_[half] + counter_;
      a_[half] = b_[half] ^ (b_[half] >> 11);
      b_[half] = c_[half] + (c_[half] << 3);
      c_[half] = ((c_[half] << 24) | (c_[half] >> 40)) + word;
      __builtin_memcpy(out + 4 * half, &word, sizeof word);
    }
    ++counter_;
  }

 private:
  typedef uint64_t Words __attribute__((vector_size(32)));
  Words a_[2], b_[2], c_[2];
  uint64_t counter_ = 1;
};

}  // namespace tellapart
