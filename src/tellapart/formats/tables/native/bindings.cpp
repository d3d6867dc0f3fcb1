// The Python face of the readers of tables. Long work releases the interpreter lock.
#include "table_bindings.hpp"

#include <nanobind/ndarray.h>

#include "arrow.hpp"
#include "cells.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tellapart {
namespace {

std::shared_ptr<const void> kept(PyObject* object) {
  Py_INCREF(object);
  return {object, [](const void* own) {
            nb::gil_scoped_acquire acquire;
            Py_DECREF(const_cast<PyObject*>(static_cast<const PyObject*>(own)));
          }};
}

template <typename T>
nb::object array_of(std::vector<T>&& values) {
  auto* own = new std::vector<T>(std::move(values));
  nb::capsule owner(own, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(own->data(), {own->size()}, owner));
}

nb::object text(std::string_view given) {
  return nb::steal(
      PyUnicode_DecodeUTF8(given.data(), static_cast<Py_ssize_t>(given.size()), nullptr));
}

nb::object cell(const Cells& cells, int64_t row) {
  switch (cells.lengths[row]) {
    case kNothing: return nb::none();
    case kTrue: return nb::bool_(true);
    case kFalse: return nb::bool_(false);
    default: {
      nb::object found = text(cells.text(row));
      if (!found.is_valid()) throw nb::python_error();
      return found;
    }
  }
}

nb::object get(const Cells& cells, int64_t row) {
  if (row < 0) row += cells.size();
  if (row < 0 || row >= cells.size()) throw nb::index_error();
  return cell(cells, row);
}

Cells part(const Cells& cells, int64_t start, int64_t stop) {
  start = std::max<int64_t>(0, start);
  stop = std::max(start, std::min(stop, cells.size()));
  Cells found;
  found.starts.assign(cells.starts.begin() + start, cells.starts.begin() + stop);
  found.lengths.assign(cells.lengths.begin() + start, cells.lengths.begin() + stop);
  found.owners = cells.owners;
  return found;
}

nb::list list_of(const Cells& cells) {
  nb::list found;
  for (int64_t row = 0; row < cells.size(); ++row) found.append(cell(cells, row));
  return found;
}

nb::object numbers(const Cells& cells) {
  Numbers found;
  {
    nb::gil_scoped_release release;
    found = numbers_of(cells);
  }
  if (!found.found) return nb::none();
  if (found.whole) return array_of(std::move(found.integers));
  return array_of(std::move(found.reals));
}

bool has_empty(const Cells& cells) {
  for (int32_t length : cells.lengths)
    if (length == 0 || length == kNothing) return true;
  return false;
}

// Different cells in order of first appearance, each with how often it is there.
nb::list distinct(const Cells& cells) {
  std::vector<int64_t> rows, times, of_code, of_kind(4, -1);
  {
    nb::gil_scoped_release release;
    TextCodes codes(true);
    for (int64_t row = 0; row < cells.size(); ++row) {
      int64_t* at;
      if (cells.lengths[row] < 0) {
        at = &of_kind[-cells.lengths[row]];
      } else {
        const int32_t code = codes.code(cells.text(row));
        if (static_cast<size_t>(code) >= of_code.size()) of_code.resize(codes.size(), -1);
        at = &of_code[code];
      }
      if (*at < 0) {
        *at = static_cast<int64_t>(rows.size());
        rows.push_back(row);
        times.push_back(0);
      }
      ++times[*at];
    }
  }
  nb::list found;
  for (size_t k = 0; k < rows.size(); ++k)
    found.append(nb::make_tuple(cell(cells, rows[k]), times[k]));
  return found;
}

nb::object encode_cells(TextCodes& codes, const Cells& cells) {
  std::vector<int32_t> found(cells.size());
  bool sound = true;
  {
    nb::gil_scoped_release release;
    sound = codes.encode(cells, found.data()) == cells.size();
  }
  if (!sound) throw nb::value_error("a cell is blank, or no text");
  return array_of(std::move(found));
}

using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

bool decimals(Reals numbers, double scale) {
  nb::gil_scoped_release release;
  return are_decimals(numbers.data(), static_cast<int64_t>(numbers.size()), scale);
}

void scaled(Reals numbers, double scale,
            nb::ndarray<int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> out) {
  if (numbers.size() != out.size()) throw std::invalid_argument("scale_decimals: sizes do not fit");
  nb::gil_scoped_release release;
  scale_decimals(numbers.data(), static_cast<int64_t>(numbers.size()), scale, out.data());
}

nb::object encode_integers(TextCodes& codes,
                           nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> numbers) {
  std::vector<int32_t> found(numbers.size());
  {
    nb::gil_scoped_release release;
    codes.encode(numbers.data(), static_cast<int64_t>(found.size()), found.data());
  }
  return array_of(std::move(found));
}

nb::object encode_list(TextCodes& codes, nb::sequence cells) {
  std::vector<int32_t> found;
  for (nb::handle each : cells) {
    Py_ssize_t size = 0;
    if (!PyUnicode_Check(each.ptr())) throw nb::type_error("a cell is no text");
    const char* data = PyUnicode_AsUTF8AndSize(each.ptr(), &size);
    if (data == nullptr) throw nb::python_error();
    found.push_back(codes.code(std::string_view(data, static_cast<size_t>(size))));
    if (found.back() < 0) throw nb::value_error("a cell is blank");
  }
  return array_of(std::move(found));
}

// The numbers of ids such as q1, q2, …, which share what stands before; None for other ids.
nb::object numbers_after_prefix(nb::sequence ids) {
  std::vector<std::string_view> texts;
  for (nb::handle each : ids) {
    if (!PyUnicode_Check(each.ptr()) || !PyUnicode_IS_COMPACT_ASCII(each.ptr())) return nb::none();
    texts.emplace_back(reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(each.ptr())),
                       static_cast<size_t>(PyUnicode_GET_LENGTH(each.ptr())));
  }
  std::vector<int64_t> found;
  if (texts.empty() || !after_prefix(texts, found)) return nb::none();
  return array_of(std::move(found));
}

nb::tuple texts(const TextCodes& codes) {
  PyObject* found = PyTuple_New(static_cast<Py_ssize_t>(codes.size()));
  if (found == nullptr) throw nb::python_error();
  nb::tuple whole = nb::steal<nb::tuple>(found);
  for (int64_t k = 0; k < codes.size(); ++k) {
    nb::object each = text(codes.text(k));
    if (!each.is_valid()) throw nb::python_error();
    PyTuple_SET_ITEM(found, static_cast<Py_ssize_t>(k), each.release().ptr());
  }
  return whole;
}

nb::object text_of(const TextCodes& codes, int64_t code) {
  if (code < 0 || code >= codes.size()) throw nb::index_error();
  return text(codes.text(code));
}

std::string_view view(const nb::bytes& buffer) {
  if (buffer.size() > static_cast<size_t>(INT32_MAX)) throw std::length_error("split: too long");
  return {buffer.c_str(), buffer.size()};
}

nb::list columns_of(Piece& piece, const nb::bytes& buffer) {
  const auto owner = kept(buffer.ptr());
  nb::list columns;
  for (Cells& column : piece.columns) {
    column.owners.push_back(owner);
    columns.append(nb::cast(std::move(column)));
  }
  return columns;
}

nb::tuple delimited(nb::bytes buffer, const char* delimiter, int64_t columns, int64_t multiple,
                    bool final) {
  Piece piece;
  const std::string_view own = view(buffer);
  {
    nb::gil_scoped_release release;
    piece = split_delimited(own, delimiter[0], columns, multiple, final);
  }
  return nb::make_tuple(piece.rows, piece.used, piece.plain, piece.sound,
                        columns_of(piece, buffer));
}

nb::tuple json(nb::bytes buffer, int64_t multiple, bool final) {
  Piece piece;
  const std::string_view own = view(buffer);
  {
    nb::gil_scoped_release release;
    piece = split_json(own, multiple, final);
  }
  nb::list names;
  for (const std::string& name : piece.names) names.append(text(name));
  return nb::make_tuple(piece.rows, piece.used, piece.plain, piece.sound,
                        columns_of(piece, buffer), names);
}

template <typename T>
nb::object plain_array(Plain&& plain) {
  auto* own = new std::shared_ptr<const void>(std::move(plain.owner));
  nb::capsule owner(own, [](void* p) noexcept {
    delete static_cast<std::shared_ptr<const void>*>(p);
  });
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(
      static_cast<const T*>(plain.start), {static_cast<size_t>(plain.size)}, owner));
}

nb::object arrow_column(ArrowColumn&& column) {
  if (auto* cells = std::get_if<Cells>(&column)) return nb::cast(std::move(*cells));
  Plain& plain = std::get<Plain>(column);
  switch (plain.format) {
    case 'c': return plain_array<int8_t>(std::move(plain));
    case 'C': return plain_array<uint8_t>(std::move(plain));
    case 's': return plain_array<int16_t>(std::move(plain));
    case 'S': return plain_array<uint16_t>(std::move(plain));
    case 'i': return plain_array<int32_t>(std::move(plain));
    case 'I': return plain_array<uint32_t>(std::move(plain));
    case 'l': return plain_array<int64_t>(std::move(plain));
    case 'L': return plain_array<uint64_t>(std::move(plain));
    case 'f': return plain_array<float>(std::move(plain));
    default: return plain_array<double>(std::move(plain));
  }
}

nb::object next_batch(ArrowBatches& batches) {
  std::vector<ArrowColumn> columns;
  bool more;
  {
    nb::gil_scoped_release release;
    more = batches.next(columns);
  }
  if (!more) return nb::none();
  nb::list found;
  for (ArrowColumn& column : columns) found.append(arrow_column(std::move(column)));
  return found;
}

}  // namespace

void bind_tables(nb::module_& m) {
  m.def("are_decimals", &decimals, "numbers"_a, "scale"_a);
  m.def("numbers_after_prefix", &numbers_after_prefix, "ids"_a);
  m.def("scale_decimals", &scaled, "numbers"_a, "scale"_a, "out"_a);
  nb::class_<Cells>(m, "Cells")
      .def("__len__", &Cells::size)
      .def("__getitem__", &get, "row"_a)
      .def("part", &part, "start"_a, "stop"_a)
      .def("tolist", &list_of)
      .def("numbers", &numbers)
      .def("has_empty", &has_empty)
      .def("distinct", &distinct);
  nb::class_<TextCodes>(m, "TextCodes")
      .def(nb::init<bool>(), "labels"_a = false)
      .def("__len__", &TextCodes::size)
      .def("encode", &encode_cells, "cells"_a)
      .def("encode", &encode_list, "cells"_a)
      .def("encode_integers", &encode_integers, "numbers"_a)
      .def("text", &text_of, "code"_a)
      .def("texts", &texts);
  m.def("split_delimited", &delimited, "buffer"_a, "delimiter"_a, "columns"_a, "multiple"_a,
        "final"_a);
  m.def("split_json", &json, "buffer"_a, "multiple"_a, "final"_a);
  nb::class_<ArrowBatches>(m, "ArrowBatches")
      .def("__init__",
           [](ArrowBatches* self, nb::handle capsule) {
             void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
             if (stream == nullptr) throw nb::python_error();
             new (self) ArrowBatches(static_cast<ArrowArrayStream*>(stream));
           },
           "capsule"_a)
      .def("next", &next_batch);
}

}  // namespace tellapart
