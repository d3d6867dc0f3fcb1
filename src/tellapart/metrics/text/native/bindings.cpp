// The Python face of the text kernels. Every call releases the interpreter lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <stdexcept>
#include <utility>

#include "bindings.hpp"
#include "text.hpp"
#include "words.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tellapart {
namespace {

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T, int N>
using Out = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

void check_starts(const In<int64_t>& starts, int64_t end, const char* what) {
  if (starts.size() == 0 || starts.data()[0] != 0 || starts.data()[starts.size() - 1] != end)
    throw std::invalid_argument(what);
  for (size_t k = 1; k < starts.size(); ++k)
    if (starts.data()[k] < starts.data()[k - 1]) throw std::invalid_argument(what);
}

Sequences sequences(const In<int32_t>& tokens, const In<int64_t>& starts) {
  check_starts(starts, static_cast<int64_t>(tokens.size()), "sequences: starts do not fit");
  return {tokens.data(), starts.data()};
}

// Hypotheses and references that fit together: each system has a hypothesis for each segment.
struct Matched {
  Sequences hyps, refs;
  const int64_t* ref_of;
  int64_t systems, segments;
};

Matched matched(const In<int32_t>& hyp, const In<int64_t>& hyp_starts, const In<int32_t>& ref,
                const In<int64_t>& ref_starts, const In<int64_t>& ref_of) {
  const Sequences hyps = sequences(hyp, hyp_starts), refs = sequences(ref, ref_starts);
  check_starts(ref_of, static_cast<int64_t>(ref_starts.size()) - 1, "match: references do not fit");
  const auto segments = static_cast<int64_t>(ref_of.size()) - 1;
  const auto all = static_cast<int64_t>(hyp_starts.size()) - 1;
  if (segments == 0 ? all != 0 : all % segments != 0)
    throw std::invalid_argument("match: sizes do not fit");
  return {hyps, refs, ref_of.data(), segments == 0 ? 0 : all / segments, segments};
}

void match(In<int32_t> hyp, In<int64_t> hyp_starts, In<int32_t> ref, In<int64_t> ref_starts,
           In<int64_t> ref_of, Out<int32_t, 2> found) {
  const Matched texts = matched(hyp, hyp_starts, ref, ref_starts, ref_of);
  if (found.shape(1) != hyp.size()) throw std::invalid_argument("match: sizes do not fit");
  if (texts.segments == 0) return;
  nb::gil_scoped_release release;
  match_ngrams(texts.hyps, texts.refs, texts.ref_of, texts.systems, texts.segments,
               static_cast<int64_t>(found.shape(0)), static_cast<int64_t>(hyp.size()),
               found.data());
}

void count(In<int32_t> hyp, In<int64_t> hyp_starts, In<int32_t> ref, In<int64_t> ref_starts,
           In<int64_t> ref_of, Out<int64_t, 2> counts) {
  const Matched texts = matched(hyp, hyp_starts, ref, ref_starts, ref_of);
  if (counts.shape(0) + 1 != hyp_starts.size())
    throw std::invalid_argument("count_ngrams: sizes do not fit");
  if (texts.segments == 0) return;
  nb::gil_scoped_release release;
  count_ngrams(texts.hyps, texts.refs, texts.ref_of, texts.systems, texts.segments,
               static_cast<int64_t>(counts.shape(1)), counts.data());
}

void edits(In<int32_t> hyp, In<int64_t> hyp_starts, In<int32_t> ref, In<int64_t> ref_starts,
           Out<int32_t, 1> out) {
  const Sequences hyps = sequences(hyp, hyp_starts), refs = sequences(ref, ref_starts);
  if (hyp_starts.size() != ref_starts.size() || out.size() + 1 != hyp_starts.size())
    throw std::invalid_argument("edits: sizes do not fit");
  nb::gil_scoped_release release;
  count_edits(hyps, refs, static_cast<int64_t>(out.size()), out.data());
}

// Hands an array over to Python, which frees it.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> array_of(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {kept->data(), {kept->size()}, owner};
}

// Returns the tokens of lines and where each line begins among them.
auto encode(Words& words, nb::bytes lines) {
  std::vector<int32_t> tokens;
  std::vector<int64_t> starts{0};
  {
    const std::string_view text(lines.c_str(), lines.size());
    nb::gil_scoped_release release;
    words.encode(text, tokens, starts);
  }
  return std::make_pair(array_of(std::move(tokens)), array_of(std::move(starts)));
}

int32_t find(const Words& words, nb::bytes token) {
  return words.find({token.c_str(), token.size()});
}

}  // namespace

void bind_text(nb::module_& m) {
  m.def("match_ngrams", &match, "hyp"_a, "hyp_starts"_a, "ref"_a, "ref_starts"_a, "ref_of"_a,
        "found"_a);
  m.def("count_ngrams", &count, "hyp"_a, "hyp_starts"_a, "ref"_a, "ref_starts"_a, "ref_of"_a,
        "counts"_a);
  nb::class_<Words>(m, "Words")
      .def(nb::init<bool, bool, bool>(), "western"_a, "lower"_a, "script"_a)
      .def("encode", &encode, "lines"_a)
      .def("find", &find, "token"_a)
      .def("__len__", &Words::size);
  m.def("count_edits", &edits, "hyp"_a, "hyp_starts"_a, "ref"_a, "ref_starts"_a, "out"_a);
}

}  // namespace tellapart
