// Words of lines as numbers: what the tokenizers 13a and none do, on UTF-8.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

  // Returns the number of a token, or -1.
  int32_t find(std::string_view token) const;
  size_t size() const { return numbers_.size(); }

 private:
  void chunk(std::string_view text, std::vector<int32_t>& tokens);
  void set_off(std::string_view text, std::vector<int32_t>& tokens);
  void piece(std::string_view text, std::vector<int32_t>& tokens);
  int32_t number(std::string_view token);

  bool western_, lower_, script_;
  std::unordered_map<std::string_view, int32_t> numbers_;
  std::deque<std::string> kept_;  // what the keys look at; never moved
  std::string before_, after_;
};

}  // namespace tellapart
