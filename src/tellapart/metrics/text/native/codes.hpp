// Numbers for texts, in order of first appearance.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tellapart {

// The empty text has the number 0.
class TextCodes {
 public:
  TextCodes();
  TextCodes(const TextCodes&) = delete;

  int64_t size() const { return static_cast<int64_t>(lengths_.size()); }
  std::string_view text(int64_t code) const {
    return {starts_[code], static_cast<size_t>(lengths_[code])};
  }

  int32_t code(std::string_view text);
  // The number of a text; -1 if it is new.
  int32_t find(std::string_view text) const;

 private:
  static uint64_t hash(std::string_view text);
  static int32_t code_in(uint64_t slot) { return static_cast<int32_t>(slot & 0xFFFFFFFFu) - 1; }
  // Where a text is, or would be: a slot that is free.
  uint64_t slot_of(std::string_view text, uint64_t tag) const;
  int32_t learn(std::string_view text, uint64_t tag, size_t slot);
  void grow();
  const char* keep(std::string_view text);

  int32_t last_ = -1;  // lines often name the same text again, or the one that came next before
  std::vector<const char*> starts_;
  std::vector<int32_t> lengths_;
  // The upper half of the hash, which also says where to look, and the code + 1; 0 if free.
  std::vector<uint64_t> slots_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t free_ = 0;
  char* next_ = nullptr;
};

}  // namespace tellapart
