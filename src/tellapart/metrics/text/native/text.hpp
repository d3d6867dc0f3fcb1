// Kernels of the text metrics: n-grams found in references, and translation edits.
#pragma once

#include <cstdint>

namespace tellapart {

// Sequences of tokens, one after the other: sequence k is tokens[starts[k]] .. tokens[starts[k+1]-1].
struct Sequences {
  const int32_t* tokens;
  const int64_t* starts;
};

// Looks up every n-gram of every hypothesis in the references of its segment.
//
// Segment s has the reference sequences ref_of[s] .. ref_of[s+1]-1; hypothesis sequence
// y * segments + s is system y's. found[(n-1) * width + i] is the position where the n-gram that
// starts at hypothesis token i first stands in the references, or -1: not there, not whole, or
// used up (there are more of it than in any one reference).
void match_ngrams(const Sequences& hypotheses, const Sequences& references, const int64_t* ref_of,
                  int64_t systems, int64_t segments, int64_t orders, int64_t width, int32_t* found);

// The same as numbers of n-grams that were found: hypotheses × orders.
void count_ngrams(const Sequences& hypotheses, const Sequences& references, const int64_t* ref_of,
                  int64_t systems, int64_t segments, int64_t orders, int64_t* counts);

// Counts the edits (block shifts included) of sequence k of the hypotheses to that of the references.
void count_edits(const Sequences& hypotheses, const Sequences& references, int64_t count,
                 int32_t* edits);

}  // namespace tellapart
