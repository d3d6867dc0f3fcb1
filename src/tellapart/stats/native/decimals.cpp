// Values as whole multiples of a step, and ids by the numbers in them.
#include "decimals.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace tellapart {
namespace {

using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Whole = nb::ndarray<int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr double kMagic = 0x1.8p52;  // adding it rounds what is below 2^51 to a whole number
constexpr int64_t kTogether = 512;

// Whether all numbers are whole multiples of 1 / scale; none is beyond 2^51 then.
bool are_decimals(Reals given, double scale) {
  nb::gil_scoped_release release;
  const double* numbers = given.data();
  const int64_t n = static_cast<int64_t>(given.size());
  for (int64_t first = 0; first < n; first += kTogether) {
    const int64_t end = std::min(n, first + kTogether);
    int64_t others = 0;
    for (int64_t k = first; k < end; ++k) {
      const double whole = (numbers[k] * scale + kMagic) - kMagic;
      others += whole / scale != numbers[k];
    }
    if (others) return false;
  }
  return true;
}

// These multiples; they may take the place of the numbers.
void scale_decimals(Reals given, double scale, Whole place) {
  if (given.size() != place.size()) throw std::invalid_argument("scale_decimals: sizes do not fit");
  nb::gil_scoped_release release;
  const double* numbers = given.data();
  int64_t* out = place.data();
  const int64_t n = static_cast<int64_t>(given.size());
  double some[kTogether];
  int64_t whole[kTogether];
  for (int64_t first = 0; first < n; first += kTogether) {
    const int64_t m = std::min(n - first, kTogether);
    std::memcpy(some, numbers + first, m * sizeof(double));  // which may be where `out` is
    for (int64_t k = 0; k < m; ++k) whole[k] = static_cast<int64_t>((some[k] * scale + kMagic) - kMagic);
    std::memcpy(out + first, whole, m * sizeof(int64_t));
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool integer(std::string_view text, int64_t& value) {
  if (text.empty() || text.size() > 18) return false;
  int64_t found = 0;
  for (char c : text) {
    if (!is_digit(c)) return false;
    found = 10 * found + (c - '0');
  }
  value = found;
  return true;
}

// The numbers of texts that share what stands before them; false if some have none there, or one of
// more than 18 digits.
bool after_prefix(const std::vector<std::string_view>& texts, std::vector<int64_t>& numbers) {
  size_t same = texts[0].size();
  for (const std::string_view each : texts) {
    same = std::min(same, each.size());
    while (each.compare(0, same, texts[0], 0, same) != 0) --same;
  }
  while (same > 0 && is_digit(texts[0][same - 1])) --same;
  numbers.resize(texts.size());
  for (size_t k = 0; k < texts.size(); ++k)
    if (!integer(texts[k].substr(same), numbers[k])) return false;
  return true;
}

// The numbers of ids such as q1, q2, …, which share what stands before; None for other ids.
nb::object numbers_after_prefix(nb::sequence ids) {
  std::vector<std::string_view> texts;
  for (nb::handle id : ids) {
    if (!PyUnicode_Check(id.ptr()) || !PyUnicode_IS_COMPACT_ASCII(id.ptr())) return nb::none();
    texts.emplace_back(reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(id.ptr())),
                       static_cast<size_t>(PyUnicode_GET_LENGTH(id.ptr())));
  }
  auto* found = new std::vector<int64_t>();
  nb::capsule owner(found, [](void* p) noexcept { delete static_cast<std::vector<int64_t>*>(p); });
  if (texts.empty() || !after_prefix(texts, *found)) return nb::none();
  return nb::cast(nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>(found->data(), {found->size()}, owner));
}

}  // namespace

void bind_decimals(nb::module_& m) {
  m.def("are_decimals", &are_decimals, "numbers"_a, "scale"_a);
  m.def("numbers_after_prefix", &numbers_after_prefix, "ids"_a);
  m.def("scale_decimals", &scale_decimals, "numbers"_a, "scale"_a, "out"_a);
}

}  // namespace tellapart
