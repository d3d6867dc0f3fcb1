#include "words.hpp"

#include <array>
#include <utility>

namespace tellapart {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_point(char c) { return c == '.' || c == ','; }

// Whether 13a always sets a character off: punctuation except ' , - .
constexpr bool is_symbol(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= '!' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// What a byte may mean: that a chunk has none of these is known once it has been walked over.
enum Meaning : uint8_t { kBlank = 1, kEntity = 2, kSymbol = 4, kPoint = 8, kUpper = 16 };

constexpr std::array<uint8_t, 256> meanings() {
  std::array<uint8_t, 256> found{};
  for (int k = 0; k < 128; ++k) {
    const char c = static_cast<char>(k);
    found[k] = (is_symbol(c) ? kSymbol : 0) | (is_point(c) || c == '-' ? kPoint : 0) |
               (c == '&' || c == '<' ? kEntity : 0) | (c >= 'A' && c <= 'Z' ? kUpper : 0) |
               (k <= 0x20 ? kBlank : 0);
  }
  for (int k : {0xc2, 0xe1, 0xe2, 0xe3}) found[k] = kBlank;  // perhaps: more bytes tell
  return found;
}

constexpr std::array<uint8_t, 256> kMeanings = meanings();

// Returns how many bytes of a blank, as Python's split has it, stand at a place; 0 if none does.
int blank_at(const unsigned char* at, const unsigned char* end) {
  const unsigned char c = *at;
  if (c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f)) return 1;
  if (c < 0xc2) return 0;
  if (c == 0xc2 && end - at >= 2 && (at[1] == 0x85 || at[1] == 0xa0)) return 2;
  if (end - at < 3) return 0;
  if (c == 0xe1 && at[1] == 0x9a && at[2] == 0x80) return 3;                        // 1680
  if (c == 0xe2 && at[1] == 0x80 && at[2] >= 0x80 && at[2] <= 0x8a) return 3;       // 2000-200a
  if (c == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9)) return 3;     // 2028, 2029
  if (c == 0xe2 && at[1] == 0x80 && at[2] == 0xaf) return 3;                        // 202f
  if (c == 0xe2 && at[1] == 0x81 && at[2] == 0x9f) return 3;                        // 205f
  if (c == 0xe3 && at[1] == 0x80 && at[2] == 0x80) return 3;                        // 3000
  return 0;
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

// Adds a blank before, between or behind two neighbours that a rule takes, from the left and
// without overlap.
template <typename Takes>
void rewrite(const std::string& from, std::string& to, Takes takes, bool before, bool between,
             bool behind) {
  to.clear();
  for (size_t i = 0; i < from.size(); ++i) {
    if (i + 1 == from.size() || !takes(from[i], from[i + 1])) {
      to += from[i];
      continue;
    }
    if (before) to += ' ';
    to += from[i];
    if (between) to += ' ';
    to += from[++i];
    if (behind) to += ' ';
  }
}

}  // namespace

// A stretch without symbols: only points and hyphens beside digits or letters are left to see to.
void Words::piece(std::string_view text, std::vector<int32_t>& tokens) {
  if (text.empty()) return;
  size_t points = 0;
  bool hyphen_behind_digit = false;
  for (size_t i = 0; i < text.size(); ++i) {
    points += is_point(text[i]);
    hyphen_behind_digit |= text[i] == '-' && i > 0 && is_digit(text[i - 1]);
  }
  const bool ends = is_point(text.back());
  if (!hyphen_behind_digit && points == (ends ? 1 : 0)) {  // as nearly all are
    if (text.size() > points) tokens.push_back(number(text.substr(0, text.size() - points)));
    if (ends) tokens.push_back(number(text.substr(text.size() - 1)));
    return;
  }
  before_.assign(" ").append(text).append(" ");
  const auto point_behind = [](char a, char b) { return !is_digit(a) && is_point(b); };
  const auto point_before = [](char a, char b) { return is_point(a) && !is_digit(b); };
  const auto hyphen = [](char a, char b) { return is_digit(a) && b == '-'; };
  rewrite(before_, after_, point_behind, false, true, true);
  rewrite(after_, before_, point_before, true, true, false);
  rewrite(before_, after_, hyphen, false, true, true);
  const std::string_view all = after_;
  for (size_t first = all.find_first_not_of(' '); first != std::string_view::npos;) {
    const size_t last = all.find(' ', first);  // there is one at the end
    tokens.push_back(number(all.substr(first, last - first)));
    first = all.find_first_not_of(' ', last);
  }
}

void Words::set_off(std::string_view text, std::vector<int32_t>& tokens) {
  size_t first = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_symbol(text[i])) continue;
    piece(text.substr(first, i - first), tokens);
    tokens.push_back(number(text.substr(i, 1)));
    first = i + 1;
  }
  piece(text.substr(first), tokens);
}

void Words::chunk(std::string_view text, std::vector<int32_t>& tokens) {
  std::string changed;
  if (western_ && text.find_first_of("&<") != std::string_view::npos) {
    changed = text;
    replace_all(changed, "<skipped>", "");
    constexpr std::array<std::pair<const char*, const char*>, 5> entities{
        {{"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&apos;", "'"}}};
    for (size_t k = 0; k < entities.size() - !script_; ++k)
      replace_all(changed, entities[k].first, entities[k].second);
    text = changed;
  }
  if (lower_) {
    std::string lowered(text);
    for (char& c : lowered)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    changed.swap(lowered);
    text = changed;
  }
  if (western_) {
    set_off(text, tokens);
  } else {
    tokens.push_back(number(text));
  }
}

void Words::encode(std::string_view lines, std::vector<int32_t>& tokens,
                   std::vector<int64_t>& ends) {
  const auto* at = reinterpret_cast<const unsigned char*>(lines.data());
  const unsigned char* end = at + lines.size();
  const unsigned char* first = at;
  const uint8_t changing =
      (western_ ? kEntity | kSymbol | kPoint : 0) | (lower_ ? kUpper : 0);
  uint8_t seen = 0;
  const auto finish = [&] {
    const std::string_view text{reinterpret_cast<const char*>(first),
                                static_cast<size_t>(at - first)};
    if (text.empty()) return;
    if (seen & changing) chunk(text, tokens);
    else tokens.push_back(number(text));
    seen = 0;
  };
  while (at < end) {
    const uint8_t meaning = kMeanings[*at];
    const int width = meaning & kBlank ? blank_at(at, end) : 0;
    if (width == 0) {
      seen |= meaning;
      ++at;
      continue;
    }
    finish();
    if (*at == '\n') ends.push_back(static_cast<int64_t>(tokens.size()));
    at += width;
    first = at;
  }
  finish();
  ends.push_back(static_cast<int64_t>(tokens.size()));
}

}  // namespace tellapart
