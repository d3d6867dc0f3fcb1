#include "arrow.hpp"

#include <charconv>
#include <stdexcept>

namespace tellapart {
namespace {

bool is_there(const ArrowArray& array, int64_t row) {
  const auto* bits = static_cast<const uint8_t*>(array.buffers[0]);
  const int64_t at = row + array.offset;
  return bits == nullptr || (bits[at >> 3] >> (at & 7) & 1);
}

bool all_there(const ArrowArray& array) {
  if (array.null_count == 0 || array.buffers[0] == nullptr) return true;
  for (int64_t row = 0; row < array.length; ++row)
    if (!is_there(array, row)) return false;
  return true;
}

template <typename Offset>
Cells texts(const ArrowArray& array) {
  Cells cells;
  cells.starts.reserve(array.length);
  cells.lengths.reserve(array.length);
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset;
  const auto* data = static_cast<const char*>(array.buffers[2]);
  for (int64_t row = 0; row < array.length; ++row) {
    const Offset length = offsets[row + 1] - offsets[row];
    if (static_cast<int64_t>(length) > INT32_MAX) throw std::length_error("a cell is too long");
    if (is_there(array, row))
      cells.add(data + offsets[row], static_cast<int32_t>(length));
    else
      cells.add(nullptr, kNothing);
  }
  return cells;
}

void write(std::string& text, double value, int digits) {
  PyGILState_STATE state = PyGILState_Ensure();
  char* written = PyOS_double_to_string(value, digits == 0 ? 'r' : 'g', digits,
                                        Py_DTSF_ADD_DOT_0, nullptr);
  if (written != nullptr) text = written;
  PyMem_Free(written);
  PyGILState_Release(state);
}

void write(std::string& text, double value) { write(text, value, 0); }

void write(std::string& text, float value) {
  for (int digits = 1; digits <= 9; ++digits) {  // the shortest that is read as the same
    write(text, static_cast<double>(value), digits);
    const double same = std::strtod(text.c_str(), nullptr);
    if (static_cast<float>(same) == value) return write(text, same, 0);
  }
}

template <typename T>
void write(std::string& text, T value) {
  char digits[24];
  text.assign(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

template <typename T>
ArrowColumn numbers(const ArrowArray& array, char format, std::shared_ptr<const void> owner) {
  const auto* values = static_cast<const T*>(array.buffers[1]) + array.offset;
  if (all_there(array)) return Plain{values, array.length, format, std::move(owner)};
  Cells cells;
  auto resolved = std::make_shared<Resolved>();
  for (int64_t row = 0; row < array.length; ++row) {
    if (!is_there(array, row)) {
      cells.add(nullptr, kNothing);
      continue;
    }
    resolved->emplace_back();
    write(resolved->back(), values[row]);
    cells.add(resolved->back().data(), static_cast<int32_t>(resolved->back().size()));
  }
  cells.owners.push_back(resolved);
  return cells;
}

ArrowColumn column(const ArrowArray& array, const std::string& format,
                   std::shared_ptr<const void> owner) {
  if (format == "u" || format == "U") {
    Cells cells = format == "u" ? texts<int32_t>(array) : texts<int64_t>(array);
    cells.owners.push_back(std::move(owner));
    return cells;
  }
  switch (format.size() == 1 ? format[0] : '?') {
    case 'c': return numbers<int8_t>(array, 'c', owner);
    case 'C': return numbers<uint8_t>(array, 'C', owner);
    case 's': return numbers<int16_t>(array, 's', owner);
    case 'S': return numbers<uint16_t>(array, 'S', owner);
    case 'i': return numbers<int32_t>(array, 'i', owner);
    case 'I': return numbers<uint32_t>(array, 'I', owner);
    case 'l': return numbers<int64_t>(array, 'l', owner);
    case 'L': return numbers<uint64_t>(array, 'L', owner);
    case 'f': return numbers<float>(array, 'f', owner);
    case 'g': return numbers<double>(array, 'g', owner);
    default: throw std::invalid_argument("a column of Arrow's type " + format);
  }
}

}  // namespace

ArrowBatches::ArrowBatches(ArrowArrayStream* stream) : stream_(*stream) {
  stream->release = nullptr;
  ArrowSchema schema;
  check(stream_.get_schema(&stream_, &schema));
  for (int64_t k = 0; k < schema.n_children; ++k) formats_.emplace_back(schema.children[k]->format);
  if (schema.release != nullptr) schema.release(&schema);
}

ArrowBatches::~ArrowBatches() {
  if (stream_.release != nullptr) stream_.release(&stream_);
}

bool ArrowBatches::next(std::vector<ArrowColumn>& columns) {
  auto* array = new ArrowArray();
  std::shared_ptr<const void> owner(array, [](ArrowArray* own) {
    if (own->release != nullptr) own->release(own);
    delete own;
  });
  check(stream_.get_next(&stream_, array));
  if (array->release == nullptr) return false;
  for (size_t k = 0; k < formats_.size(); ++k)
    columns.push_back(column(*array->children[k], formats_[k], owner));
  return true;
}

void ArrowBatches::check(int status) {
  if (status == 0) return;
  const char* reason = stream_.get_last_error(&stream_);
  throw std::runtime_error(reason != nullptr ? reason : "the stream ended early");
}

}  // namespace tellapart
