// Exact n-gram matching: a trie of the references of one segment at a time.
#include <algorithm>
#include <vector>

#include "text.hpp"

namespace tellapart {
namespace {

struct Node {
  int32_t first;     // where the n-gram first stands
  int32_t most;      // how often it stands in one reference, at most
  int32_t times;     // how often in the sequence that is read now
  int64_t sequence;  // which sequence that is
};

// Children are found by (parent, token) in one open hash table. A slot holds for one segment, so
// that nothing needs to be cleared.
class Trie {
 public:
  explicit Trie(int64_t most_nodes) {
    int64_t size = 16;
    while (size < 2 * most_nodes) size *= 2;
    slots_.resize(size);
    mask_ = size - 1;
  }

  void clear() {
    nodes_.clear();
    ++segment_;
  }

  // Returns the number of the node, or -1.
  int32_t find(int32_t parent, int32_t token) const {
    const uint64_t key = key_of(parent, token);
    for (uint64_t at = place(key);; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.segment != segment_) return -1;
      if (slot.key == key) return slot.node;
    }
  }

  int32_t find_or_add(int32_t parent, int32_t token, int32_t position) {
    const uint64_t key = key_of(parent, token);
    for (uint64_t at = place(key);; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.segment == segment_ && slot.key == key) return slot.node;
      if (slot.segment == segment_) continue;
      slot = {key, segment_, static_cast<int32_t>(nodes_.size())};
      nodes_.push_back({position, 0, 0, -1});
      return slot.node;
    }
  }

  Node& operator[](int32_t node) { return nodes_[node]; }

 private:
  struct Slot {
    uint64_t key = 0;
    int64_t segment = -1;
    int32_t node = 0;
  };

  static uint64_t key_of(int32_t parent, int32_t token) {
    return static_cast<uint64_t>(static_cast<uint32_t>(parent)) << 32 |
           static_cast<uint32_t>(token);
  }
  uint64_t place(uint64_t key) const {
    key *= 0x9E3779B97F4A7C15ull;
    return (key ^ key >> 29) & mask_;
  }

  std::vector<Slot> slots_;
  std::vector<Node> nodes_;
  uint64_t mask_ = 0;
  int64_t segment_ = 0;
};

constexpr int32_t kRoot = -1;

void add_reference(Trie& trie, const Sequences& refs, int64_t sequence, int64_t orders) {
  const int64_t end = refs.starts[sequence + 1];
  for (int64_t i = refs.starts[sequence]; i < end; ++i) {
    int32_t parent = kRoot;
    for (int64_t n = 0; n < orders && i + n < end; ++n) {
      parent = trie.find_or_add(parent, refs.tokens[i + n], static_cast<int32_t>(i));
      Node& node = trie[parent];
      node.times = node.sequence == sequence ? node.times + 1 : 1;
      node.sequence = sequence;
      node.most = std::max(node.most, node.times);
    }
  }
}

// Calls `use` with each n-gram of a hypothesis that is in the references and not used up: where it
// begins, its length less one, and its node. `mark` is the number of no other sequence.
template <typename Use>
void look_up(Trie& trie, const Sequences& hyps, int64_t sequence, int64_t mark, int64_t orders,
             Use use) {
  const int64_t end = hyps.starts[sequence + 1];
  for (int64_t i = hyps.starts[sequence]; i < end; ++i) {
    int32_t parent = kRoot;
    for (int64_t n = 0; n < orders && i + n < end; ++n) {
      parent = trie.find(parent, hyps.tokens[i + n]);
      if (parent < 0) break;
      Node& node = trie[parent];
      node.times = node.sequence == mark ? node.times + 1 : 1;
      node.sequence = mark;
      if (node.times <= node.most) use(i, n, node);
    }
  }
}

// The same of all hypotheses; `use` is told the number of each as well.
template <typename Use>
void look_up_all(const Sequences& hypotheses, const Sequences& references, const int64_t* ref_of,
                 int64_t systems, int64_t segments, int64_t orders, Use use) {
  int64_t most = 0;
  for (int64_t s = 0; s < segments; ++s)
    most = std::max(most, references.starts[ref_of[s + 1]] - references.starts[ref_of[s]]);
  Trie trie(most * orders);
  const int64_t all_references = ref_of[segments];
  for (int64_t s = 0; s < segments; ++s) {
    trie.clear();
    for (int64_t r = ref_of[s]; r < ref_of[s + 1]; ++r) add_reference(trie, references, r, orders);
    for (int64_t y = 0; y < systems; ++y) {
      const int64_t own = y * segments + s;
      // Marks of hypotheses come after the numbers of references: a node knows whose count it has.
      look_up(trie, hypotheses, own, all_references + own, orders,
              [&](int64_t i, int64_t n, const Node& node) { use(own, i, n, node); });
    }
  }
}

}  // namespace

void match_ngrams(const Sequences& hypotheses, const Sequences& references, const int64_t* ref_of,
                  int64_t systems, int64_t segments, int64_t orders, int64_t width,
                  int32_t* found) {
  std::fill(found, found + orders * width, -1);
  look_up_all(hypotheses, references, ref_of, systems, segments, orders,
              [&](int64_t, int64_t i, int64_t n, const Node& node) {
                found[n * width + i] = node.first;
              });
}

void count_ngrams(const Sequences& hypotheses, const Sequences& references, const int64_t* ref_of,
                  int64_t systems, int64_t segments, int64_t orders, int64_t* counts) {
  std::fill(counts, counts + systems * segments * orders, 0);
  look_up_all(hypotheses, references, ref_of, systems, segments, orders,
              [&](int64_t own, int64_t, int64_t n, const Node&) { ++counts[own * orders + n]; });
}

}  // namespace tellapart
