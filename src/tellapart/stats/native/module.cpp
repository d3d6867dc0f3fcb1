// The Python face of the native engine. Every call releases the interpreter lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "kernels.hpp"
#include "lattice.hpp"
#include "stream.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tellapart {
namespace {

template <typename T, int N>
using In = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <typename T, int N>
using Out = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
using StreamSeeds =
    nb::ndarray<const uint64_t, nb::shape<-1, kSeedWords>, nb::c_contig, nb::device::cpu>;
// Seeds of some shards, one row for each block of units.
using ShardSeeds =
    nb::ndarray<const uint64_t, nb::shape<-1, -1, kSeedWords>, nb::c_contig, nb::device::cpu>;

bool supported(const std::string& path) {
#if defined(__x86_64__) || defined(_M_X64)
  if (path == "avx2") return avx2_compiled() && __builtin_cpu_supports("avx2");
#endif
  return path == "portable";
}

// The ways that this machine can run, the fastest first.
std::vector<std::string> paths() {
  std::vector<std::string> found;
  for (const char* path : {"avx2", "portable"})
    if (supported(path)) found.push_back(path);
  return found;
}

Kernels kernels_for(const std::string& path) {
  if (!supported(path)) throw std::invalid_argument("this machine has no " + path);
  return path == "avx2" ? avx2_kernels() : portable_kernels();
}

// Integer columns × units, ready to be summed over random subsets of the units.
class NativePlan {
 public:
  NativePlan(In<int64_t, 2> values, const std::string& path) : kernels_(kernels_for(path)) {
    plan_.columns = static_cast<int64_t>(values.shape(0));
    plan_.units = static_cast<int64_t>(values.shape(1));
    nb::gil_scoped_release release;
    if (path == "portable") plan_.values.assign(values.data(), values.data() + values.size());
    else build_tables(values.data(), plan_);
  }

  // Of one shard and some columns.
  void subset_sums(ShardSeeds seeds, int64_t n, In<int32_t, 1> columns, Out<double, 2> out) const {
    check(seeds, 1);
    if (n < 0 || n > kShard || out.shape(0) != columns.size() ||
        static_cast<int64_t>(out.shape(1)) != kShard)
      throw std::invalid_argument("subset_sums: sizes do not fit");
    const std::vector<int32_t> own(columns.data(), columns.data() + columns.size());
    for (int32_t column : own)
      if (column < 0 || column >= plan_.columns)
        throw std::invalid_argument("subset_sums: there is no such column");
    nb::gil_scoped_release release;
    kernels_.subset_sums(plan_, own, seeds.data(), n, out.data());
  }

  // Draws the shuffles of some shards and counts those that reach the threshold of each test.
  void count_signed(ShardSeeds seeds, In<int64_t, 1> sizes, In<int32_t, 2> columns,
                    In<double, 2> weights, In<double, 1> differences, In<double, 1> thresholds,
                    In<int32_t, 1> tails, Out<int64_t, 2> out) const {
    const size_t n_tests = out.shape(1);
    for (size_t size : {columns.shape(0), weights.shape(0), differences.size(), thresholds.size(),
                        tails.size()})
      if (size != n_tests) throw std::invalid_argument("count_signed: sizes do not fit");
    if (columns.shape(1) != weights.shape(1) || out.shape(0) != sizes.size())
      throw std::invalid_argument("count_signed: sizes do not fit");
    Used used(plan_.columns);
    std::vector<int32_t> own(columns.data(), columns.data() + columns.size());
    for (int32_t& column : own) column = used.place(column);
    const SignedTests tests{static_cast<int64_t>(n_tests), static_cast<int64_t>(columns.shape(1)),
                            own.data(), weights.data(), differences.data(), thresholds.data(),
                            tails.data()};
    each_shard(seeds, sizes, used.columns, [&](const double* sums, int64_t shard) {
      kernels_.count_signed(sums, sizes.data()[shard], tests, out.data() + shard * n_tests);
    });
  }

 private:
  // The columns that tests read, so that no others are summed up.
  struct Used {
    explicit Used(int64_t known) : places(known, -1) {}

    int32_t place(int32_t column) {
      if (column < 0) return -1;
      if (column >= static_cast<int64_t>(places.size()))
        throw std::invalid_argument("there is no such column");
      if (places[column] < 0) {
        places[column] = static_cast<int32_t>(columns.size());
        columns.push_back(column);
      }
      return places[column];
    }

    std::vector<int32_t> places, columns;
  };

  template <typename Count>
  void each_shard(const ShardSeeds& seeds, const In<int64_t, 1>& sizes,
                  const std::vector<int32_t>& columns, Count count) const {
    const auto shards = static_cast<int64_t>(sizes.size());
    check(seeds, shards);
    for (int64_t shard = 0; shard < shards; ++shard)
      if (sizes.data()[shard] < 0 || sizes.data()[shard] > kShard)
        throw std::invalid_argument("a shard has at most 2,048 shuffles");
    nb::gil_scoped_release release;
    std::vector<double> sums(columns.size() * kShard);
    const auto words = static_cast<int64_t>(seeds.shape(1)) * kSeedWords;
    for (int64_t shard = 0; shard < shards; ++shard) {
      kernels_.subset_sums(plan_, columns, seeds.data() + shard * words, sizes.data()[shard],
                           sums.data());
      count(sums.data(), shard);
    }
  }

  void check(const ShardSeeds& seeds, int64_t shards) const {
    const auto blocks = static_cast<int64_t>(seeds.shape(1));
    if (static_cast<int64_t>(seeds.shape(0)) != shards || blocks < 1 ||
        blocks * kItemBlock < plan_.units)
      throw std::invalid_argument("there must be seeds for every shard and block of units");
  }

  Plan plan_;
  Kernels kernels_;
};

void resample(In<int64_t, 2> rows, In<int64_t, 1> starts, In<int64_t, 1> sizes,
              In<int64_t, 1> draws, StreamSeeds seeds, Out<int64_t, 2> out,
              const std::string& path) {
  const auto units = static_cast<int64_t>(rows.shape(0)), columns = static_cast<int64_t>(rows.shape(1));
  const auto places = static_cast<int64_t>(starts.size()), n = static_cast<int64_t>(draws.size());
  if (static_cast<int64_t>(sizes.size()) != places || draws.size() != out.shape(0) ||
      static_cast<int64_t>(out.shape(1)) != columns ||
      static_cast<int64_t>(seeds.shape(0)) != (n + kResamples - 1) / kResamples)
    throw std::invalid_argument("resample: sizes do not fit");
  for (int64_t r = 0; r < n; ++r)
    if (draws.data()[r] < 0 || draws.data()[r] > places)
      throw std::invalid_argument("resample: more draws than places");
  for (int64_t j = 0; j < places; ++j)
    if (starts.data()[j] < 0 || sizes.data()[j] < 1 || starts.data()[j] + sizes.data()[j] > units)
      throw std::invalid_argument("resample: a draw would fall outside the units");
  if (units > INT32_MAX) throw std::invalid_argument("resample: too many units");
  if (n == 0) return;
  const Kernels kernels = kernels_for(path);
  nb::gil_scoped_release release;
  kernels.resample({rows.data(), units, columns, starts.data(), sizes.data(), n, draws.data(),
                    seeds.data(), out.data()});
}

double lattice_mass(In<int64_t, 2> shifts, In<int64_t, 2> extras, In<int64_t, 1> first) {
  if (shifts.shape(0) != 2 || extras.shape(0) != 2 || extras.shape(1) > 20)
    throw std::invalid_argument("lattice_mass: sizes do not fit");
  const auto steps = static_cast<int64_t>(shifts.shape(1));
  const auto extra = static_cast<int64_t>(extras.shape(1));
  const Lattice lattice(steps, shifts.data(), shifts.data() + steps);
  int64_t rows = lattice.height;
  for (int64_t k = 0; k < extra; ++k) rows += extras.data()[extra + k];
  if (static_cast<int64_t>(first.size()) != rows)
    throw std::invalid_argument("lattice_mass: sizes do not fit");
  nb::gil_scoped_release release;
  const std::unique_ptr<double[]> cells(new double[lattice.width * lattice.height]);
  convolve(lattice, cells.get());
  return upper_mass(lattice, extras.data(), extras.data() + extra, extra, first.data(),
                    cells.get());
}

// The weights of all sums of random subsets of `steps`, scaled as those of a lattice are.
void subset_weights(In<int64_t, 1> steps, Out<double, 1> out) {
  const auto n = static_cast<int64_t>(steps.size());
  for (int64_t k = 0; k < n; ++k)
    if (steps.data()[k] < 0) throw std::invalid_argument("subset_weights: a step is negative");
  const std::vector<int64_t> none(n, 0);
  const Lattice lattice(n, steps.data(), none.data());
  if (static_cast<int64_t>(out.size()) != lattice.width)
    throw std::invalid_argument("subset_weights: sizes do not fit");
  nb::gil_scoped_release release;
  convolve(lattice, out.data());
}

}  // namespace
}  // namespace tellapart

NB_MODULE(_native, m) {
  using namespace tellapart;
  // DuckDB is made with nanobind, too, and what it keeps until the end would be told as ours.
  nb::set_leak_warnings(false);
  m.attr("INTERFACE") = 7;
  m.attr("SHARD") = kShard;
  m.def("paths", &paths);
  nb::class_<NativePlan>(m, "Plan")
      .def(nb::init<In<int64_t, 2>, const std::string&>(), "values"_a, "path"_a)
      .def("subset_sums", &NativePlan::subset_sums, "seeds"_a, "n"_a, "columns"_a, "out"_a)
      .def("count_signed", &NativePlan::count_signed, "seeds"_a, "sizes"_a, "columns"_a,
           "weights"_a, "differences"_a, "thresholds"_a, "tails"_a, "out"_a);
  m.def("resample", &resample, "rows"_a, "starts"_a, "sizes"_a, "draws"_a, "seeds"_a, "out"_a,
        "path"_a);
  m.def("lattice_mass", &lattice_mass, "shifts"_a, "extras"_a, "first"_a);
  m.def("subset_weights", &subset_weights, "steps"_a, "out"_a);
  bind_text(m);
}
