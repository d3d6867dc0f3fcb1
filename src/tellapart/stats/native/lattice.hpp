// The exact null distribution of a ratio metric: sums of two-point distributions on a lattice.
#pragma once
#include <cstdint>

namespace tellapart {

struct Lattice {
  int64_t steps;
  const int64_t *dx, *dy;        // the shift of each unit; no dy is negative
  int64_t x0, width, height;     // the array: cell (x, y) is at [y * width + (x - x0)]

  Lattice(int64_t steps, const int64_t* dx, const int64_t* dy);
};

// Weights of all cells after the last unit, times 2^(512 * rescalings); starts at the origin.
void convolve(const Lattice& lattice, double* cells);

// Sum over the subsets of `extra` further units, and over rows, of the weight at or above
// first[row + dy of the subset] - dx of the subset.
double upper_mass(const Lattice& lattice, const int64_t* extra_dx, const int64_t* extra_dy,
                  int64_t extras, const int64_t* first, const double* cells);

}  // namespace tellapart
