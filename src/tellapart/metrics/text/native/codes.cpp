#include "codes.hpp"

#include <cstring>
#include <stdexcept>

namespace tellapart {
namespace {

constexpr size_t kBlock = size_t{1} << 16;

}  // namespace

TextCodes::TextCodes() : slots_(1 << 10) { code(std::string_view()); }

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
  const uint64_t tag = hash(given) >> 32;
  const uint64_t slot = slot_of(given, tag), found = slots_[slot];
  return found == 0 ? learn(given, tag, slot) : last_ = code_in(found);
}

uint64_t TextCodes::slot_of(std::string_view given, uint64_t tag) const {
  const uint64_t mask = slots_.size() - 1;
  for (uint64_t slot = tag & mask;; slot = (slot + 1) & mask) {
    const uint64_t found = slots_[slot];
    if (found == 0 || (found >> 32 == tag && text(code_in(found)) == given)) return slot;
  }
}

int32_t TextCodes::find(std::string_view given) const {
  return code_in(slots_[slot_of(given, hash(given) >> 32)]);
}

int32_t TextCodes::learn(std::string_view given, uint64_t tag, size_t slot) {
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
