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

// A step of the lattice: to each cell of `grown`, the weight of the cell one shift back is added, if
// that was in `box`. Rows run as `way` says, so that no row is read that was already updated.
struct Step {
  int64_t dx, dy, first, last, left, n;  // rows, and the n cells of each row

  Step(const Box& box, const Box& grown, int64_t dx, int64_t dy, int64_t way)
      : dx(dx), dy(way * dy), left(std::max(grown.x0, box.x0 + dx)),
        n(std::min(grown.x1, box.x1 + dx) - left + 1) {
    const int64_t low = std::max(grown.y0, box.y0 + dy), high = std::min(grown.y1, box.y1 + dy);
    first = way > 0 ? high : -low;
    last = way > 0 ? low : -high;
  }
};

constexpr int64_t kMostSteps = 8;
constexpr int64_t kCached = 512 << 10;  // bytes of rows that a few steps go over together

// Takes some steps whose shifts go the same way, row by row: each is as many rows behind the one
// before it as its shift is high, so that all but the first find their rows in the cache.
void add_shifted(const Lattice& l, const Step* steps, int64_t many, int64_t way, double* cells,
                 std::vector<double>& copy) {
  auto row = [&](int64_t y, int64_t x) { return cells + (way * y - l.y0) * l.width + (x - l.x0); };
  int64_t first = steps[0].first, last = steps[0].last, behind = 0;
  for (int64_t k = 1; k < many; ++k) {
    behind += steps[k].dy;
    first = std::max(first, steps[k].first - behind);
    last = std::min(last, steps[k].last - behind);
  }
  for (int64_t at = first; at >= last; --at) {
    int64_t y = at;
    for (int64_t k = 0; k < many; ++k) {
      const Step& step = steps[k];
      if (k > 0) y += step.dy;
      if (y > step.first || y < step.last || step.n <= 0) continue;
      const double* source = row(y - step.dy, step.left - step.dx);
      if (step.dy == 0) {
        std::copy(source, source + step.n, copy.begin());
        source = copy.data();
      }
      add_row(row(y, step.left), source, step.n);
    }
  }
}

bool is_within(const Box& inner, const Box& outer) {
  return inner.x0 >= outer.x0 && inner.x1 <= outer.x1 && inner.y0 >= outer.y0 && inner.y1 <= outer.y1;
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
  std::vector<Step> steps;
  for (int64_t i = 0; i < l.steps;) {
    Box before = box;
    int64_t way = 0, rows = 0;
    steps.clear();
    do {  // as many steps as go the same way, fit the cache, and leave nothing to clear or rescale
      const Box kept{l.boxes[4 * i], l.boxes[4 * i + 1], l.boxes[4 * i + 2], l.boxes[4 * i + 3]};
      if (way == 0) way = l.dy[i] < 0 ? -1 : l.dy[i] > 0;
      rows += std::abs(l.dy[i]);
      steps.emplace_back(box, kept, l.dx[i], l.dy[i], way < 0 ? -1 : 1);
      before = box;
      box = kept;
      ++i;
    } while (i < l.steps && i % kRescaleEvery != 0 && is_within(before, box) &&
             static_cast<int64_t>(steps.size()) < kMostSteps && way * l.dy[i] >= 0 && way != 0 &&
             (rows + std::abs(l.dy[i])) * l.width * int64_t{sizeof(double)} <= kCached);
    add_shifted(l, steps.data(), static_cast<int64_t>(steps.size()), way < 0 ? -1 : 1, cells, copy);
    clear_outside(l, before, box, cells);
    if (i % kRescaleEvery == 0)
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
