// Words of lines as numbers: what the tokenizers 13a and none do, on UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codes.hpp"

namespace tellapart {

// Numbers tokens in the order in which they are first seen.
class Words {
 public:
  // `western` sets punctuation off, as 13a does, and replaces entities, `&apos;` too with `script`;
  // `lower` takes A to Z for a to z.
  Words(bool western, bool lower, bool script)
      : western_(western), lower_(lower), script_(script) {}

  // Adds the tokens of lines, cut at line feeds, and after each line the number of tokens so far.
  void encode(std::string_view lines, std::vector<int32_t>& tokens, std::vector<int64_t>& ends);

  // Returns the number of a token, or one below 0.
  int32_t find(std::string_view token) const { return numbers_.find(token) - 1; }
  size_t size() const { return static_cast<size_t>(numbers_.size()) - 1; }

 private:
  void chunk(std::string_view text, std::vector<int32_t>& tokens);
  void set_off(std::string_view text, std::vector<int32_t>& tokens);
  void piece(std::string_view text, std::vector<int32_t>& tokens);
  int32_t number(std::string_view token) { return numbers_.code(token) - 1; }

  bool western_, lower_, script_;
  TextCodes numbers_;  // one more than those of tokens: the empty text has 0
  std::string before_, after_;
};

}  // namespace tellapart
