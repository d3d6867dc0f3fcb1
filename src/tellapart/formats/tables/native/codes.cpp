// Texts as numbers, and texts that are numbers.
#include "cells.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace tellapart {
namespace {

constexpr size_t kBlock = size_t{1} << 16;
constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// As str.isspace of Python. Only called for texts that begin with a blank or beyond ASCII.
bool is_space(std::string_view text) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* object = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
  bool blank = object != nullptr;
  if (object != nullptr) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(object);
    for (Py_ssize_t k = 0; blank && k < n; ++k)
      blank = Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(object, k));
    Py_DECREF(object);
  } else {
    PyErr_Clear();
  }
  PyGILState_Release(state);
  return blank;
}

bool is_blank(std::string_view text) {
  if (text.empty()) return true;
  const auto first = static_cast<unsigned char>(text.front());
  return (first <= 0x20 || first >= 0x80) && is_space(text);
}

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

// A decimal number as people write them; false for anything else.
bool real(std::string_view text, double& value) {
  const char *p = text.data(), *end = p + text.size();
  while (p < end && (*p == ' ' || *p == '\t')) ++p;
  while (p < end && (end[-1] == ' ' || end[-1] == '\t')) --end;
  const char* begin = p;
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  uint64_t mantissa = 0;
  int digits = 0, exponent = 0;  // digits that count: those after leading zeros
  bool some = false;
  for (; p < end && is_digit(*p); ++p, some = true) {
    if (digits < 19) mantissa = 10 * mantissa + static_cast<uint64_t>(*p - '0');
    digits += digits > 0 || *p != '0';
  }
  if (p < end && *p == '.') {
    for (++p; p < end && is_digit(*p); ++p, some = true) {
      if (digits < 19) mantissa = 10 * mantissa + static_cast<uint64_t>(*p - '0');
      digits += digits > 0 || *p != '0';
      --exponent;
    }
  }
  if (!some) return false;
  bool simple = digits < 19;
  if (p < end && (*p == 'e' || *p == 'E')) {
    simple = false;
    ++p;
    if (p < end && (*p == '-' || *p == '+')) ++p;
    if (p == end) return false;
    for (; p < end && is_digit(*p); ++p) continue;
    if (!is_digit(end[-1])) return false;
  }
  if (p != end) return false;
  if (simple && mantissa <= (uint64_t{1} << 53) && exponent >= -22) {
    // Both are exact as float64, so that one division rounds as it should.
    value = static_cast<double>(mantissa) / kPowers[-exponent];
    if (negative) value = -value;
    return true;
  }
  const std::string copy(begin, end);
  PyGILState_STATE state = PyGILState_Ensure();
  value = PyOS_string_to_double(copy.c_str(), nullptr, nullptr);
  const bool failed = PyErr_Occurred() != nullptr;
  if (failed) PyErr_Clear();
  PyGILState_Release(state);
  return !failed;
}

}  // namespace

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

Numbers numbers_of(const Cells& cells) {
  Numbers out;
  const int64_t n = cells.size();
  out.integers.resize(n);
  int64_t row = 0;
  while (row < n && cells.lengths[row] >= 0 && integer(cells.text(row), out.integers[row])) ++row;
  if (row == n) {
    out.found = out.whole = true;
    return out;
  }
  row = 0;
  for (; row < n && (cells.lengths[row] == kTrue || cells.lengths[row] == kFalse); ++row)
    out.integers[row] = cells.lengths[row] == kTrue;
  if (row == n) {
    out.found = out.whole = true;
    return out;
  }
  out.integers = {};
  out.reals.resize(n);
  for (row = 0; row < n; ++row)
    if (cells.lengths[row] < 0 || !real(cells.text(row), out.reals[row])) return out;
  out.found = true;
  return out;
}

namespace {

constexpr double kMagic = 0x1.8p52;  // adding it rounds what is below 2^51 to a whole number
constexpr int64_t kTogether = 512;

}  // namespace

bool are_decimals(const double* numbers, int64_t n, double scale) {
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

void scale_decimals(const double* numbers, int64_t n, double scale, int64_t* out) {
  double some[kTogether];
  int64_t whole[kTogether];
  for (int64_t first = 0; first < n; first += kTogether) {
    const int64_t m = std::min(n - first, kTogether);
    std::memcpy(some, numbers + first, m * sizeof(double));  // which may be where `out` is
    for (int64_t k = 0; k < m; ++k) whole[k] = static_cast<int64_t>((some[k] * scale + kMagic) - kMagic);
    std::memcpy(out + first, whole, m * sizeof(int64_t));
  }
}

TextCodes::TextCodes(bool labels) : labels_(labels), slots_(1 << 10) {
  if (labels) code(std::string_view());
}

uint64_t TextCodes::hash(std::string_view text) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15ull;
  uint64_t found = text.size() * kFactor;
  const char* p = text.data();
  size_t left = text.size();
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    found = (found ^ word) * kFactor;
    found ^= found >> 32;
  }
  uint64_t word = 0;
  if (left) std::memcpy(&word, p, left);
  found = (found ^ word) * kFactor;
  found ^= found >> 29;
  found *= 0xBF58476D1CE4E5B9ull;
  return found ^ (found >> 32);
}

int32_t TextCodes::code(std::string_view given) {
  if (last_ >= 0) {
    if (text(last_) == given) return last_;
    if (last_ + 1 < size() && text(last_ + 1) == given) return ++last_;
  }
  return code(given, hash(given) >> 32);
}

int64_t TextCodes::encode(const Cells& cells, int32_t* out) {
  // Where each text is looked for is fetched some rows ahead: of many texts, all else is waiting.
  constexpr int64_t kAhead = 16;
  uint64_t tags[kAhead];
  const int64_t n = cells.size();
  int64_t row = 0;
  while (row < n) {
    const int64_t end = std::min(n, row + kAhead);
    bool texts = true;
    for (int64_t k = row; k < end; ++k) texts = texts && cells.lengths[k] >= 0;
    const bool next = last_ >= 0 && last_ + 1 < size() && texts && text(last_ + 1) == cells.text(row);
    const bool same = last_ >= 0 && texts && text(last_) == cells.text(row);
    if (!texts || next || same || size() < 1 << 12) {
      for (; row < end; ++row)
        if ((out[row] = code(cells, row)) < 0) return row;
      continue;
    }
    for (int64_t k = row; k < end; ++k) {
      tags[k - row] = hash(cells.text(k)) >> 32;
#if defined(__GNUC__)
      __builtin_prefetch(&slots_[tags[k - row] & (slots_.size() - 1)]);
#endif
    }
    for (int64_t first = row; row < end; ++row)
      if ((out[row] = code(cells.text(row), tags[row - first])) < 0) return row;
  }
  return n;
}

uint64_t TextCodes::slot_of(std::string_view given, uint64_t tag) const {
  const uint64_t mask = slots_.size() - 1;
  for (uint64_t slot = tag & mask;; slot = (slot + 1) & mask) {
    const uint64_t found = slots_[slot];
    if (found == 0 || (found >> 32 == tag && text(code_in(found)) == given)) return slot;
  }
}

int32_t TextCodes::code(std::string_view given, uint64_t tag) {
  const uint64_t slot = slot_of(given, tag), found = slots_[slot];
  return found == 0 ? learn(given, tag, slot) : last_ = code_in(found);
}

int32_t TextCodes::find(std::string_view given) const {
  return code_in(slots_[slot_of(given, hash(given) >> 32)]);
}

int32_t TextCodes::code(const Cells& cells, int64_t row) {
  switch (cells.lengths[row]) {
    case kNothing: return labels_ ? 0 : -1;
    case kTrue: return labels_ ? code(std::string_view("true")) : -1;
    case kFalse: return labels_ ? code(std::string_view("false")) : -1;
    default: return code(cells.text(row));
  }
}

void TextCodes::encode(const int64_t* numbers, int64_t n, int32_t* out) {
  constexpr int64_t kAhead = 16;  // as for texts
  char digits[kAhead][24];
  std::string_view texts[kAhead];
  uint64_t tags[kAhead];
  for (int64_t row = 0; row < n;) {
    const int64_t first = row, end = std::min(n, row + kAhead);
    for (int64_t k = row; k < end; ++k) {
      if (k > 0 && numbers[k] == numbers[k - 1]) continue;  // rows of an item often stand together
      char* own = digits[k - first];
      texts[k - first] = {own, static_cast<size_t>(std::to_chars(own, own + 24, numbers[k]).ptr - own)};
      tags[k - first] = hash(texts[k - first]) >> 32;
#if defined(__GNUC__)
      __builtin_prefetch(&slots_[tags[k - first] & (slots_.size() - 1)]);
#endif
    }
    for (; row < end; ++row)
      out[row] = row > 0 && numbers[row] == numbers[row - 1]
                     ? out[row - 1]
                     : code(texts[row - first], tags[row - first]);
  }
}

int32_t TextCodes::learn(std::string_view given, uint64_t tag, size_t slot) {
  if (!labels_ && is_blank(given)) return -1;
  if (size() == INT32_MAX) throw std::length_error("more than 2^31 different texts");
  const auto fresh = static_cast<int32_t>(size());
  starts_.push_back(keep(given));
  lengths_.push_back(static_cast<int32_t>(given.size()));
  slots_[slot] = tag << 32 | static_cast<uint64_t>(fresh + 1);
  if (3 * lengths_.size() > 2 * slots_.size()) grow();
  return last_ = fresh;
}

void TextCodes::grow() {
  std::vector<uint64_t> before(2 * slots_.size());
  before.swap(slots_);
  const uint64_t mask = slots_.size() - 1;
  for (uint64_t each : before) {
    if (each == 0) continue;
    uint64_t slot = each >> 32 & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = each;
  }
}

const char* TextCodes::keep(std::string_view given) {
  if (given.size() > free_) {
    free_ = given.size() > kBlock / 4 ? given.size() : kBlock;
    blocks_.push_back(std::unique_ptr<char[]>(new char[free_]));
    next_ = blocks_.back().get();
  }
  char* place = next_;
  if (!given.empty()) std::memcpy(place, given.data(), given.size());
  next_ += given.size();
  free_ -= given.size();
  return place;
}

}  // namespace tellapart
