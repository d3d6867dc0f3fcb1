#include "lattice.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace tellapart {
namespace {

constexpr int64_t kRescaleEvery = 512;       // weights double with each unit; 2^1023 is the end
constexpr double kRescale = 0x1p-512;
constexpr int64_t kTogether = 8;             // rows, whose sums do not wait for each other

inline void add_row(double* __restrict target, const double* __restrict source, int64_t n) {
  for (int64_t i = 0; i < n; ++i) target[i] += source[i];
}

// A step of the lattice: to each cell, the weight of the cell one shift back is added. Rows run
// downwards, so that no row is read that was already updated.
struct Step { int64_t dx, dy, first, last, left, n; };  // rows, and the n cells of each row

constexpr int64_t kMostSteps = 8;
constexpr int64_t kCached = 512 << 10;  // bytes of rows that a few steps go over together

// Takes some steps row by row: each is as many rows behind the one before it as its shift is high,
// so that all but the first find their rows in the cache.
void add_shifted(const Lattice& l, const std::vector<Step>& steps, double* cells,
                 std::vector<double>& copy) {
  auto row = [&](int64_t y, int64_t x) { return cells + y * l.width + (x - l.x0); };
  int64_t first = steps[0].first, last = steps[0].last, behind = 0;
  for (size_t k = 1; k < steps.size(); ++k) {
    behind += steps[k].dy;
    first = std::max(first, steps[k].first - behind);
    last = std::min(last, steps[k].last - behind);
  }
  for (int64_t at = first; at >= last; --at) {
    int64_t y = at - steps[0].dy;
    for (const Step& step : steps) {
      y += step.dy;
      if (y > step.first || y < step.last) continue;
      const double* source = row(y - step.dy, step.left - step.dx);
      if (step.dy == 0) {
        std::copy(source, source + step.n, copy.begin());
        source = copy.data();
      }
      add_row(row(y, step.left), source, step.n);
    }
  }
}

}  // namespace

Lattice::Lattice(int64_t steps, const int64_t* dx, const int64_t* dy)
    : steps(steps), dx(dx), dy(dy), x0(0), width(1), height(1) {
  for (int64_t i = 0; i < steps; ++i) {
    x0 += std::min<int64_t>(dx[i], 0);
    width += std::abs(dx[i]);
    height += dy[i];
  }
}

void convolve(const Lattice& l, double* cells) {
  std::fill(cells, cells + l.width * l.height, 0.0);
  cells[-l.x0] = 1.0;
  std::vector<double> copy(l.width);
  int64_t x0 = 0, x1 = 0, y1 = 0;  // of the sums so far
  std::vector<Step> steps;
  for (int64_t i = 0; i < l.steps;) {
    int64_t rows = 0;
    steps.clear();
    do {  // as many steps as fit the cache and leave nothing to rescale
      const int64_t dx = l.dx[i], dy = l.dy[i];
      rows += dy;
      steps.push_back({dx, dy, y1 + dy, dy, x0 + dx, x1 - x0 + 1});
      x0 += std::min<int64_t>(dx, 0);
      x1 += std::max<int64_t>(dx, 0);
      y1 += dy;
      ++i;
    } while (i < l.steps && i % kRescaleEvery != 0 &&
             static_cast<int64_t>(steps.size()) < kMostSteps &&
             (rows + l.dy[i]) * l.width * int64_t{sizeof(double)} <= kCached);
    add_shifted(l, steps, cells, copy);
    if (i % kRescaleEvery == 0)
      for (int64_t k = 0; k < l.width * l.height; ++k) cells[k] *= kRescale;
  }
}

double upper_mass(const Lattice& l, const int64_t* extra_dx, const int64_t* extra_dy,
                  int64_t extras, const int64_t* first, const double* cells) {
  std::vector<int64_t> dx(int64_t{1} << extras, 0), dy(dx);
  for (int64_t k = 0; k < extras; ++k)
    for (int64_t subset = 0; subset < (int64_t{1} << k); ++subset) {
      dx[subset | int64_t{1} << k] = dx[subset] + extra_dx[k];
      dy[subset | int64_t{1} << k] = dy[subset] + extra_dy[k];
    }
  const int64_t width = l.width + 1;
  std::vector<double> suffix(kTogether * width);
  double total = 0.0;
  for (int64_t y = 0; y < l.height; y += kTogether) {
    const int64_t rows = std::min(kTogether, l.height - y);
    for (int64_t k = 0; k < rows; ++k) {
      const double* row = cells + (y + k) * l.width;
      double* sums = suffix.data() + k * width;
      sums[width - 1] = 0.0;
      for (int64_t x = width - 2; x >= 0; --x) sums[x] = sums[x + 1] + row[x];
    }
    double mass[kTogether] = {};
    const auto add = [&](int64_t subset, int64_t some) {
      const int64_t* counting = first + (y + dy[subset]);
      const int64_t from = dx[subset] + l.x0;
      for (int64_t k = 0; k < some; ++k)
        mass[k] += suffix[k * width + std::clamp<int64_t>(counting[k] - from, 0, width - 1)];
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
