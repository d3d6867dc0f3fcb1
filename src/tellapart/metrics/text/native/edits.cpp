// Translation edits: edit distance in a band, and a greedy search over shifts of blocks of words.
#include <algorithm>
#include <cmath>
#include <vector>

#include "text.hpp"

namespace tellapart {
namespace {

constexpr int kLongestShift = 10;
constexpr int kFarthestShift = 50;
constexpr int kBand = 25;
constexpr int kMostCandidates = 1000;
constexpr int32_t kFar = 1 << 29;

enum Op : uint8_t { kNone, kKeep, kReplace, kDrop, kInsert };  // from hypothesis to reference

// One hypothesis of a fixed length against one reference.
class Aligner {
 public:
  Aligner(const int32_t* ref, int ref_size, int hyp_size)
      : ref_(ref), width_(ref_size + 1), height_(hyp_size + 1) {
    const double ratio = hyp_size ? static_cast<double>(ref_size) / hyp_size : 1.0;
    const int band = kBand < ratio / 2 ? static_cast<int>(std::ceil(ratio / 2 + kBand)) : kBand;
    low_.resize(height_);
    high_.resize(height_);
    for (int i = 1; i < height_; ++i) {
      const int diagonal = static_cast<int>(std::floor(i * ratio));
      low_[i] = std::max(0, diagonal - band);
      high_[i] = i == hyp_size ? width_ : std::min(width_, diagonal + band);
    }
    cost_.assign(static_cast<size_t>(height_) * width_, kFar);
    trial_ = cost_;
    op_.assign(cost_.size(), kNone);
    for (int j = 0; j < width_; ++j) {
      cost_[j] = trial_[j] = j;
      op_[j] = kInsert;
    }
  }

  // Aligns words for good; what follows can be tried from any of its rows.
  int align(const std::vector<int32_t>& words) {
    for (int i = 1; i < height_; ++i) row<true>(cost_.data(), words[i - 1], i);
    return cost_.back();
  }

  // The distance of words that agree with the aligned ones before position `same`.
  int distance(const std::vector<int32_t>& words, int same) {
    std::copy_n(&cost_[static_cast<size_t>(same) * width_], width_,
                &trial_[static_cast<size_t>(same) * width_]);
    for (int i = same + 1; i < height_; ++i) row<false>(trial_.data(), words[i - 1], i);
    return trial_.back();
  }

  // Fills in, for each reference word, the hypothesis word before or at it, and who has errors.
  void read(std::vector<int>& at, std::vector<uint8_t>& ref_wrong, std::vector<uint8_t>& hyp_wrong) {
    int i = height_ - 1, j = width_ - 1;
    while (i > 0 || j > 0) {
      const uint8_t op = op_[static_cast<size_t>(i) * width_ + j];
      if (op == kKeep || op == kReplace) {
        --i, --j;
        at[j] = i;
        ref_wrong[j] = hyp_wrong[i] = op == kReplace;
      } else if (op == kInsert) {
        --j;
        at[j] = i - 1;
        ref_wrong[j] = 1;
      } else {
        --i;
        hyp_wrong[i] = 1;
      }
    }
  }

 private:
  template <bool traced>
  void row(int32_t* cost, int32_t word, int i) {
    const int32_t* above = cost + static_cast<size_t>(i - 1) * width_;
    int32_t* here = cost + static_cast<size_t>(i) * width_;
    uint8_t* op = op_.data() + static_cast<size_t>(i) * width_;
    int j = low_[i];
    if (j == 0) {
      here[0] = above[0] + 1;
      if (traced) op[0] = kDrop;
      ++j;
    }
    for (; j < high_[i]; ++j) {
      const bool same = word == ref_[j - 1];
      int32_t best = above[j - 1] + !same;
      uint8_t how = same ? kKeep : kReplace;
      if (above[j] + 1 < best) best = above[j] + 1, how = kDrop;
      const int32_t left = j > low_[i] ? here[j - 1] : kFar;
      if (left + 1 < best) best = left + 1, how = kInsert;
      here[j] = best;
      if (traced) op[j] = how;
    }
  }

  const int32_t* ref_;
  int width_, height_;
  std::vector<int> low_, high_;
  std::vector<int32_t> cost_, trial_;
  std::vector<uint8_t> op_;
};

struct Shift {
  int gain = 0, length = 0, start = 0, target = 0;
  bool before(const Shift& other) const {
    if (gain != other.gain) return gain > other.gain;
    if (length != other.length) return length > other.length;
    if (start != other.start) return start < other.start;
    return target < other.target;
  }
};

void move(const std::vector<int32_t>& words, const Shift& shift, std::vector<int32_t>& out) {
  out.assign(words.begin(), words.end());
  if (shift.target < shift.start) {
    std::rotate(out.begin() + shift.target, out.begin() + shift.start,
                out.begin() + shift.start + shift.length);
    return;
  }
  // Inside its own place a block goes as far behind as the target is past its start.
  const int end = shift.target > shift.start + shift.length ? shift.target
                                                            : shift.target + shift.length;
  const int last = std::min<int>(end, static_cast<int>(words.size()));
  std::rotate(out.begin() + shift.start, out.begin() + shift.start + shift.length,
              out.begin() + last);
}

class Search {
 public:
  Search(const int32_t* hyp, int hyp_size, const int32_t* ref, int ref_size)
      : words_(hyp, hyp + hyp_size), ref_(ref), size_(ref_size), aligner_(ref, ref_size, hyp_size),
        at_(ref_size), ref_wrong_(ref_size), hyp_wrong_(hyp_size) {}

  int edits() {
    int shifts = 0;
    int distance = aligner_.align(words_);
    while (true) {
      const Shift best = best_shift(distance);
      if (checked_ >= kMostCandidates || best.gain <= 0) return shifts + distance;
      move(words_, best, moved_);
      words_.swap(moved_);
      ++shifts;
      distance = aligner_.align(words_);
    }
  }

 private:
  Shift best_shift(int distance) {
    aligner_.read(at_, ref_wrong_, hyp_wrong_);
    Shift best;
    bool any = false;
    const int hyp_size = static_cast<int>(words_.size());
    for (int h = 0; h < hyp_size; ++h) {
      const int from = std::max(0, h - kFarthestShift);
      const int to = std::min(size_, h + kFarthestShift + 1);
      for (int r = from; r < to; ++r) {
        bool hyp_wrong = false, ref_wrong = false;
        for (int length = 1; length <= kLongestShift; ++length) {
          const int i = h + length - 1, j = r + length - 1;
          if (i >= hyp_size || j >= size_ || words_[i] != ref_[j]) break;
          hyp_wrong |= hyp_wrong_[i];
          ref_wrong |= ref_wrong_[j];
          if (!hyp_wrong || !ref_wrong || (h <= at_[r] && at_[r] < h + length)) continue;
          try_targets(h, r, length, distance, best, any);
          if (checked_ >= kMostCandidates) return best;
        }
      }
    }
    return best;
  }

  void try_targets(int h, int r, int length, int distance, Shift& best, bool& any) {
    int previous = -1;
    for (int offset = -1; offset < length; ++offset) {
      const int target = r + offset == -1 ? 0 : at_[r + offset] + 1;
      if (target == previous) continue;
      previous = target;
      Shift shift{0, length, h, target};
      move(words_, shift, moved_);
      shift.gain = distance - aligner_.distance(moved_, std::min(h, target));
      ++checked_;
      if (!any || shift.before(best)) best = shift;
      any = true;
    }
  }

  std::vector<int32_t> words_, moved_;
  const int32_t* ref_;
  int size_;
  Aligner aligner_;
  std::vector<int> at_;
  std::vector<uint8_t> ref_wrong_, hyp_wrong_;
  int checked_ = 0;
};

}  // namespace

void count_edits(const Sequences& hypotheses, const Sequences& references, int64_t count,
                 int32_t* edits) {
  for (int64_t k = 0; k < count; ++k) {
    const int64_t h = hypotheses.starts[k], r = references.starts[k];
    const int hyp_size = static_cast<int>(hypotheses.starts[k + 1] - h);
    const int ref_size = static_cast<int>(references.starts[k + 1] - r);
    edits[k] = ref_size == 0 ? hyp_size
                             : Search(hypotheses.tokens + h, hyp_size, references.tokens + r,
                                      ref_size).edits();
  }
}

}  // namespace tellapart
