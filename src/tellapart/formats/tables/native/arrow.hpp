// Tables that another library hands over by Arrow's C stream interface.
// https://arrow.apache.org/docs/format/CStreamInterface.html
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cells.hpp"

namespace tellapart {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// Numbers where they are: `format` is Arrow's letter for their type.
struct Plain {
  const void* start;
  int64_t size;
  char format;
  std::shared_ptr<const void> owner;
};

using ArrowColumn = std::variant<Cells, Plain>;

// The batches of a stream: texts and numbers; a number beside nothing is a text.
class ArrowBatches {
 public:
  explicit ArrowBatches(ArrowArrayStream* stream);  // which is taken over
  ~ArrowBatches();
  ArrowBatches(const ArrowBatches&) = delete;

  // The columns of the next batch; false at the end.
  bool next(std::vector<ArrowColumn>& columns);

 private:
  void check(int status);

  ArrowArrayStream stream_;
  std::vector<std::string> formats_;
};

}  // namespace tellapart
