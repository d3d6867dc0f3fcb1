// Columns of a table as cells packed in the buffers that they were read into.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tellapart {

// What a cell is that is no text, in place of its length.
constexpr int32_t kNothing = -1, kFalse = -2, kTrue = -3;

// The cells of one column. They point into what `owners` keep alive.
struct Cells {
  std::vector<const char*> starts;
  std::vector<int32_t> lengths;
  std::vector<std::shared_ptr<const void>> owners;

  int64_t size() const { return static_cast<int64_t>(lengths.size()); }
  void add(const char* start, int32_t length) {
    starts.push_back(start);
    lengths.push_back(length);
  }
  std::string_view text(int64_t row) const {
    return {starts[row], static_cast<size_t>(lengths[row])};
  }
};

// Texts that stand in no buffer: cells whose quotation marks or escapes were resolved.
using Resolved = std::deque<std::string>;

// Numbers of a column: whole ones, or float64 if some are not whole; `found` is false if a cell is
// no number.
struct Numbers {
  bool found = false;
  bool whole = false;
  std::vector<int64_t> integers;
  std::vector<double> reals;
};

// As cells.py defines numbers; takes the interpreter lock for the few that need Python's strtod.
Numbers numbers_of(const Cells& cells);

// The numbers of texts that share what stands before them; false if some have none there, or one of
// more than 18 digits.
bool after_prefix(const std::vector<std::string_view>& texts, std::vector<int64_t>& numbers);

// Whether all numbers are whole multiples of 1 / scale; none is beyond 2^51 then.
bool are_decimals(const double* numbers, int64_t n, double scale);
// These multiples; they may take the place of the numbers.
void scale_decimals(const double* numbers, int64_t n, double scale, int64_t* out);

// Numbers for texts, in order of first appearance.
// Whole numbers, as ids of Parquet often are, count as their digits.
class TextCodes {
 public:
  // For labels, "" has the number 0, and so has a cell without anything; ids must not be blank.
  explicit TextCodes(bool labels);
  TextCodes(const TextCodes&) = delete;

  int64_t size() const { return static_cast<int64_t>(lengths_.size()); }
  std::string_view text(int64_t code) const {
    return {starts_[code], static_cast<size_t>(lengths_[code])};
  }
  bool labels() const { return labels_; }

  // The number of a text; -1 if it is new and blank, which no id is.
  int32_t code(std::string_view text);
  // The number of a text; -1 if it is new.
  int32_t find(std::string_view text) const;
  // Numbers of all cells, up to the first that is no id; returns how many.
  int64_t encode(const Cells& cells, int32_t* out);
  // The number of a cell; -1 for what is no id.
  int32_t code(const Cells& cells, int64_t row);
  void encode(const int64_t* numbers, int64_t n, int32_t* out);

 private:
  static uint64_t hash(std::string_view text);
  static int32_t code_in(uint64_t slot) { return static_cast<int32_t>(slot & 0xFFFFFFFFu) - 1; }
  int32_t code(std::string_view text, uint64_t tag);
  // Where a text is, or would be: a slot that is free.
  uint64_t slot_of(std::string_view text, uint64_t tag) const;
  int32_t learn(std::string_view text, uint64_t tag, size_t slot);
  void grow();
  const char* keep(std::string_view text);

  bool labels_;
  int32_t last_ = -1;  // rows often name the same text again, or the one that came next before
  std::vector<const char*> starts_;
  std::vector<int32_t> lengths_;
  // The upper half of the hash, which also says where to look, and the code + 1; 0 if free.
  std::vector<uint64_t> slots_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t free_ = 0;
  char* next_ = nullptr;
};

// A piece of a table of text, cut between two rows.
struct Piece {
  int64_t rows = 0;
  int64_t used = 0;      // bytes of the buffer that the rows take
  bool plain = true;     // false: well formed, but some row needs a closer look
  bool sound = true;     // false: rows cannot be told apart from here on
  std::vector<Cells> columns;
  std::vector<std::string> names;  // the keys of JSON
};

// Rows of CSV or TSV: up to the last whole one, in multiples of `multiple` unless `final`.
Piece split_delimited(std::string_view buffer, char delimiter, int64_t columns, int64_t multiple,
                      bool final);
// The same of JSONL whose rows are flat and have the same keys in the same order.
Piece split_json(std::string_view buffer, int64_t multiple, bool final);

}  // namespace tellapart
