#include "lattice.hpp"

#include <algorithm>
#include <vector>

namespace tellapart {
namespace {

constexpr int64_t kRescaleEvery = 512;       // weights double with each unit; 2^1023 is the end
constexpr double kRescale = 0x1p-512;
constexpr int64_t kTogether = 8;             // rows, whose sums do not wait for each other

inline void add_row(double* __restrict target, const double* __restrict source, int64_t n) {
  for (int64_t i = 0; i < n; ++i) target[i] += source[i];
}

// Adds to each cell of `grown` the weight of the cell one shift back, if that was in `box`.
void add_shifted(const Lattice& l, const Box& box, const Box& grown, int64_t dx, int64_t dy,
                 double* cells, std::vector<double>& copy) {
  const int64_t y_first = std::max(grown.y0, box.y0 + dy), y_last = std::min(grown.y1, box.y1 + dy);
  const int64_t x_first = std::max(grown.x0, box.x0 + dx), x_last = std::min(grown.x1, box.x1 + dx);
  const int64_t n = x_last - x_first + 1;
  if (n <= 0) return;
  auto row = [&](int64_t y, int64_t x) { return cells + (y - l.y0) * l.width + (x - l.x0); };
  for (int64_t k = 0; k <= y_last - y_first; ++k) {
    const int64_t y = dy > 0 ? y_last - k : y_first + k;  // never read a row already updated
    const double* source = row(y - dy, x_first - dx);
    if (dy == 0) {
      std::copy(source, source + n, copy.begin());
      source = copy.data();
    }
    add_row(row(y, x_first), source, n);
  }
}

// Clears what a window has left behind, so that it cannot come back when the window grows.
void clear_outside(const Lattice& l, const Box& box, const Box& kept, double* cells) {
  for (int64_t y = box.y0; y <= box.y1; ++y) {
    double* row = cells + (y - l.y0) * l.width - l.x0;
    if (y < kept.y0 || y > kept.y1) {
      std::fill(row + box.x0, row + box.x1 + 1, 0.0);
      continue;
    }
    if (box.x0 < kept.x0) std::fill(row + box.x0, row + kept.x0, 0.0);
    if (box.x1 > kept.x1) std::fill(row + kept.x1 + 1, row + box.x1 + 1, 0.0);
  }
}

}  // namespace

void convolve(const Lattice& l, double* cells) {
  std::fill(cells, cells + l.width * l.height, 0.0);
  cells[-l.y0 * l.width - l.x0] = 1.0;
  std::vector<double> copy(l.width);
  Box box{0, 0, 0, 0};
  for (int64_t i = 0; i < l.steps; ++i) {
    const int64_t* b = l.boxes + 4 * i;
    const Box kept{b[0], b[1], b[2], b[3]};
    add_shifted(l, box, kept, l.dx[i], l.dy[i], cells, copy);
    clear_outside(l, box, kept, cells);
    box = kept;
    if ((i + 1) % kRescaleEvery == 0)
      for (int64_t k = 0; k < l.width * l.height; ++k) cells[k] *= kRescale;
  }
}

double upper_mass(const Lattice& l, const Box& box, const int64_t* extra_dx,
                  const int64_t* extra_dy, int64_t extras, const int64_t* hi, int64_t hi_y0,
                  const double* cells) {
  std::vector<int64_t> dx(int64_t{1} << extras, 0), dy(dx);
  for (int64_t k = 0; k < extras; ++k)
    for (int64_t subset = 0; subset < (int64_t{1} << k); ++subset) {
      dx[subset | int64_t{1} << k] = dx[subset] + extra_dx[k];
      dy[subset | int64_t{1} << k] = dy[subset] + extra_dy[k];
    }
  const int64_t width = box.x1 - box.x0 + 2;
  std::vector<double> suffix(kTogether * width);
  double total = 0.0;
  for (int64_t y = box.y0; y <= box.y1; y += kTogether) {
    const int64_t rows = std::min(kTogether, box.y1 + 1 - y);
    for (int64_t k = 0; k < rows; ++k) {
      const double* row = cells + (y + k - l.y0) * l.width + (box.x0 - l.x0);
      double* sums = suffix.data() + k * width;
      sums[width - 1] = 0.0;
      for (int64_t x = width - 2; x >= 0; --x) sums[x] = sums[x + 1] + row[x];
    }
    double mass[kTogether] = {};
    const auto add = [&](int64_t subset, int64_t some) {
      const int64_t* first = hi + (y + dy[subset] - hi_y0);
      const int64_t from = dx[subset] + box.x0;
      for (int64_t k = 0; k < some; ++k)
        mass[k] += suffix[k * width + std::clamp<int64_t>(first[k] - from, 0, width - 1)];
    };
    const auto subsets = static_cast<int64_t>(dx.size());
    if (rows == kTogether)
      for (int64_t subset = 0; subset < subsets; ++subset) add(subset, kTogether);
    else
      for (int64_t subset = 0; subset < subsets; ++subset) add(subset, rows);
    for (int64_t k = 0; k < rows; ++k) total += mass[k];
  }
  return total;
}

}  // namespace tellapart
