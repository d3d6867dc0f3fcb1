// The exact null distribution of a ratio metric: sums of two-point distributions on a lattice.
#pragma once
#include <cstdint>

namespace tellapart {

// A rectangle of the lattice, ends included.
struct Box { int64_t x0, x1, y0, y1; };

struct Lattice {
  int64_t steps;
  const int64_t *dx, *dy;        // the shift of each unit
  const int64_t* boxes;          // steps × 4: the cells kept after each unit
  int64_t x0, y0, width, height; // the array: cell (x, y) is at [(y - y0) * width + (x - x0)]
};

// Weights of all cells after the last unit, times 2^(512 * rescalings); starts at the origin.
void convolve(const Lattice& lattice, double* cells);

// Sum over the subsets of `extra` further units, and over rows, of the weight at or above
// hi[row + dy of the subset] - dx of the subset.
double upper_mass(const Lattice& lattice, const Box& box, const int64_t* extra_dx,
                  const int64_t* extra_dy, int64_t extras, const int64_t* hi, int64_t hi_y0,
                  const double* cells);

}  // namespace tellapart
