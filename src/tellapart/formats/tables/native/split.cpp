// Rows of CSV, TSV and JSONL as columns of cells.
//
// What is well formed and plain is split here. Anything else is left to the readers in Python, which
// know what to say about it: a row with another number of fields, a blank line, a cell over several
// lines, JSON within JSON. Both read the same cells.
#include <algorithm>

#include "cells.hpp"

namespace tellapart {
namespace {

constexpr int64_t kLongestCell = 131072;  // what Python's csv takes

// Rows of a buffer while they are found; rolls back to the last row that is handed out.
class Rows {
 public:
  Rows(int64_t multiple, bool final) : multiple_(multiple), final_(final) {}

  void end_row(int64_t used, bool plain) {
    ++piece_.rows;
    piece_.plain = piece_.plain && plain;
    if (final_ || piece_.rows % multiple_ == 0) {
      rows_ = piece_.rows;
      used_ = used;
      plain_ = piece_.plain;
    }
  }

  Piece& piece() { return piece_; }

  Piece done(std::shared_ptr<const Resolved> resolved) {
    piece_.rows = rows_;
    piece_.used = used_;
    piece_.plain = plain_;
    if (!plain_ || rows_ == 0) piece_.columns.clear();
    for (Cells& column : piece_.columns) {
      column.starts.resize(rows_);
      column.lengths.resize(rows_);
      if (!resolved->empty()) column.owners.push_back(resolved);
    }
    return std::move(piece_);
  }

 private:
  Piece piece_;
  int64_t multiple_, rows_ = 0, used_ = 0;
  bool final_, plain_ = true;
};

// One row of CSV from `p`; where the next one begins, nullptr if it has no end in the buffer.
struct Delimited {
  const char* end;
  char delimiter;
  bool final;
  Resolved* resolved;
  bool sound = true;
  bool plain = true;
  int64_t fields = 0;
  bool stops[256] = {};

  Delimited(const char* end, char delimiter, bool final, Resolved* resolved)
      : end(end), delimiter(delimiter), final(final), resolved(resolved) {
    for (char c : {delimiter, '\n', '\r', '\0'}) stops[static_cast<unsigned char>(c)] = true;
  }

  const char* row(const char* p, std::vector<Cells>& columns) {
    plain = true;
    fields = 0;
    if (*p == '\n' || *p == '\r') plain = false;  // a blank line
    while (true) {
      const char* start = p;
      int64_t length;
      if (p < end && *p == '"') {
        p = quoted(p + 1, start, length);
        if (p == nullptr) return nullptr;
      } else {
        while (p < end && !stops[static_cast<unsigned char>(*p)]) ++p;
        length = p - start;
      }
      if (p == end && !final) return nullptr;
      if (p < end && !stops[static_cast<unsigned char>(*p)]) return unsound();
      plain = plain && length <= kLongestCell;
      if (fields < static_cast<int64_t>(columns.size()))
        columns[fields].add(start, static_cast<int32_t>(length));
      ++fields;
      if (p == end) return p;
      if (*p == '\n') return p + 1;
      if (*p == '\0') return unsound();
      if (*p == '\r') {  // alone, it ends a line, too, which is left to Python
        if (p + 1 == end) return final ? unsound() : nullptr;
        return p[1] == '\n' ? p + 2 : unsound();
      }
      ++p;
    }
  }

 private:
  const char* unsound() {
    sound = false;
    return nullptr;
  }

  const char* quoted(const char* p, const char*& start, int64_t& length) {
    start = p;
    std::string whole;
    bool doubled = false;
    while (true) {
      const char* part = p;
      p = static_cast<const char*>(std::memchr(p, '"', static_cast<size_t>(end - p)));
      if (p == nullptr) return final ? unsound() : nullptr;
      for (const char* c = part; c < p; ++c) {
        if (*c == '\n' || *c == '\r') plain = false;
        if (*c == '\0') return unsound();
      }
      if (p + 1 < end && p[1] == '"') {
        doubled = true;
        whole.append(part, p + 1);
        p += 2;
        continue;
      }
      if (!doubled) {
        length = p - start;
      } else {
        whole.append(part, p);
        resolved->push_back(std::move(whole));
        start = resolved->back().data();
        length = static_cast<int64_t>(resolved->back().size());
      }
      if (p + 1 == end && !final) return nullptr;  // another mark may follow
      return p + 1;
    }
  }
};

// One row of flat JSON. Its methods return false for anything that is left to Python.
struct Json {
  const char* p;
  const char* end;  // of the line
  Resolved* resolved;

  void blanks() {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
  }
  bool is(char c) {
    blanks();
    if (p == end || *p != c) return false;
    ++p;
    return true;
  }
  bool word(const char* text, size_t n) {
    if (static_cast<size_t>(end - p) < n || std::memcmp(p, text, n) != 0) return false;
    p += n;
    return true;
  }

  bool string(const char*& start, int32_t& length) {  // after the opening mark
    start = p;
    while (p < end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20) ++p;
    if (p == end) return false;
    if (*p == '"') {
      length = static_cast<int32_t>(p++ - start);
      return true;
    }
    if (*p != '\\') return false;
    std::string text(start, p);
    while (p < end && *p != '"') {
      if (static_cast<unsigned char>(*p) < 0x20) return false;
      if (*p != '\\') {
        text.push_back(*p++);
      } else if (!escape(text)) {
        return false;
      }
    }
    if (p == end) return false;
    ++p;
    resolved->push_back(std::move(text));
    start = resolved->back().data();
    length = static_cast<int32_t>(resolved->back().size());
    return true;
  }

  bool escape(std::string& text) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (++p == end) return false;
    if (const char* found = std::strchr(from, *p); found != nullptr && *p != '\0') {
      text.push_back(to[found - from]);
      ++p;
      return true;
    }
    if (*p != 'u' || end - p < 5) return false;
    unsigned code = 0;
    for (++p; code < 0x110000 && hexadecimal < 4; ++hexadecimal, ++p) {
      const char c = *p;
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      code = 16 * code + static_cast<unsigned>(digit);
    }
    hexadecimal = 0;
    if (code >= 0xD800 && code < 0xE000) return false;  // half of a character
    if (code < 0x80) {
      text.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
      text.push_back(static_cast<char>(0xC0 | code >> 6));
      text.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    } else {
      text.push_back(static_cast<char>(0xE0 | code >> 12));
      text.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
      text.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    }
    return true;
  }
  int hexadecimal = 0;

  bool digits() {
    const char* start = p;
    while (p < end && *p >= '0' && *p <= '9') ++p;
    return p > start;
  }

  bool number(const char*& start, int32_t& length) {
    start = p;
    if (p < end && *p == '-') ++p;
    const char* first = p;
    if (!digits() || (*first == '0' && p - first > 1)) return false;
    if (p < end && *p == '.' && (++p, !digits())) return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
      ++p;
      if (p < end && (*p == '-' || *p == '+')) ++p;
      if (!digits()) return false;
    }
    length = static_cast<int32_t>(p - start);
    return true;
  }

  bool value(const char*& start, int32_t& length) {
    blanks();
    if (p == end) return false;
    start = p;
    switch (*p) {
      case '"': ++p; return string(start, length);
      case 't': length = kTrue; return word("true", 4);
      case 'f': length = kFalse; return word("false", 5);
      case 'n': length = kNothing; return word("null", 4);
      default: return number(start, length);
    }
  }

  bool row(Piece& piece) {
    if (!is('{')) return false;
    const bool first = piece.rows == 0;
    size_t k = 0;
    do {
      const char* start;
      int32_t length;
      if (!is('"') || !string(start, length)) return false;
      const std::string_view key(start, static_cast<size_t>(length));
      if (first) {
        for (const std::string& other : piece.names)
          if (other == key) return false;
        piece.names.emplace_back(key);
        piece.columns.emplace_back();
      } else if (k >= piece.names.size() || piece.names[k] != key) {
        return false;
      }
      if (!is(':') || !value(start, length)) return false;
      piece.columns[k++].add(start, length);
    } while (is(','));
    if (!is('}') || k != piece.names.size()) return false;
    blanks();
    return p == end;
  }
};

}  // namespace

Piece split_delimited(std::string_view buffer, char delimiter, int64_t columns, int64_t multiple,
                      bool final) {
  auto resolved = std::make_shared<Resolved>();
  Rows rows(multiple, final);
  Piece& piece = rows.piece();
  piece.columns.resize(columns);
  const char *p = buffer.data(), *end = p + buffer.size();
  Delimited line(end, delimiter, final, resolved.get());
  while (p < end) {
    const char* next = line.row(p, piece.columns);
    if (next == nullptr) break;
    p = next;
    rows.end_row(p - buffer.data(), line.plain && line.fields == columns);
  }
  const bool sound = line.sound;
  Piece found = rows.done(resolved);
  found.sound = sound;
  return found;
}

Piece split_json(std::string_view buffer, int64_t multiple, bool final) {
  auto resolved = std::make_shared<Resolved>();
  Rows rows(multiple, final);
  Piece& piece = rows.piece();
  const char *p = buffer.data(), *end = p + buffer.size();
  bool sound = true;
  while (p < end) {
    const void* found = std::memchr(p, '\n', static_cast<size_t>(end - p));
    if (found == nullptr && !final) break;
    const char* stop = found == nullptr ? end : static_cast<const char*>(found);
    const void* cut = std::memchr(p, '\r', static_cast<size_t>(stop - p));
    // A lone carriage return ends a line, too, and a blank line is no row: both are left to Python.
    if (cut != nullptr && (static_cast<const char*>(cut) + 1 != stop || stop == end)) sound = false;
    if (std::all_of(p, stop, [](unsigned char c) { return c <= 0x20; })) sound = false;
    if (!sound) break;
    Json line{p, stop, resolved.get()};
    const bool plain = piece.plain && line.row(piece);
    p = stop == end ? end : stop + 1;
    rows.end_row(p - buffer.data(), plain);
  }
  Piece done = rows.done(resolved);
  done.sound = sound;
  return done;
}

}  // namespace tellapart
