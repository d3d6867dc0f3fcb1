// The Python face of the native engine. Every call releases the interpreter lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <stdexcept>

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
using Seeds = nb::ndarray<const uint64_t, nb::shape<kSeedWords>, nb::c_contig, nb::device::cpu>;
// One row of seeds for each block of units.
using BlockSeeds =
    nb::ndarray<const uint64_t, nb::shape<-1, kSeedWords>, nb::c_contig, nb::device::cpu>;

bool avx2_available() {
#if defined(__x86_64__) || defined(_M_X64)
  return avx2_compiled() && __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

Kernels kernels_for(bool avx2) {
  if (avx2 && !avx2_available()) throw std::invalid_argument("no AVX2 on this machine");
  return avx2 ? avx2_kernels() : portable_kernels();
}

// Integer columns × units, ready to be summed over random subsets of the units.
class NativePlan {
 public:
  NativePlan(In<int64_t, 2> values, bool avx2) : kernels_(kernels_for(avx2)) {
    plan_.columns = static_cast<int64_t>(values.shape(0));
    plan_.units = static_cast<int64_t>(values.shape(1));
    plan_.values.assign(values.data(), values.data() + values.size());
    if (avx2) build_tables(plan_);
  }

  void subset_sums(BlockSeeds seeds, int64_t n, Out<double, 2> out) const {
    check(seeds);
    if (n < 0 || n > kShard || static_cast<int64_t>(out.shape(0)) != plan_.columns ||
        static_cast<int64_t>(out.shape(1)) != kShard)
      throw std::invalid_argument("subset_sums: sizes do not fit");
    nb::gil_scoped_release release;
    kernels_.subset_sums(plan_, seeds.data(), n, out.data());
  }

  // Draws n shuffles and counts, per test, those that reach its threshold.
  void count(BlockSeeds seeds, int64_t n, In<uint8_t, 1> tests, Out<int64_t, 1> out) const {
    check(seeds);
    if (n < 0 || n > kShard || tests.size() != out.size() * sizeof(Test))
      throw std::invalid_argument("count: sizes do not fit");
    const auto* rows = reinterpret_cast<const Test*>(tests.data());
    for (size_t k = 0; k < out.size(); ++k)
      for (int32_t index : {rows[k].num_a, rows[k].num_b, rows[k].den_a, rows[k].den_b})
        if (index >= plan_.columns) throw std::invalid_argument("count: no such column");
    nb::gil_scoped_release release;
    std::vector<double> sums(plan_.columns * kShard);
    kernels_.subset_sums(plan_, seeds.data(), n, sums.data());
    kernels_.count(sums.data(), n, rows, static_cast<int64_t>(out.size()), out.data());
  }

 private:
  void check(const BlockSeeds& seeds) const {
    const auto blocks = static_cast<int64_t>(seeds.shape(0));
    if (blocks < 1 || blocks * kItemBlock < plan_.units)
      throw std::invalid_argument("there must be seeds for every block of units");
  }

  Plan plan_;
  Kernels kernels_;
};

void resample(In<int64_t, 2> rows, In<int64_t, 1> starts, In<int64_t, 1> sizes,
              In<int64_t, 1> draws, Seeds seeds, Out<int64_t, 2> out, bool avx2) {
  const auto units = static_cast<int64_t>(rows.shape(0)), columns = static_cast<int64_t>(rows.shape(1));
  const auto places = static_cast<int64_t>(starts.size());
  if (static_cast<int64_t>(sizes.size()) != places || draws.size() != out.shape(0) ||
      static_cast<int64_t>(out.shape(1)) != columns)
    throw std::invalid_argument("resample: sizes do not fit");
  for (size_t r = 0; r < draws.size(); ++r)
    if (draws.data()[r] < 0 || draws.data()[r] > places)
      throw std::invalid_argument("resample: more draws than places");
  for (int64_t j = 0; j < places; ++j)
    if (starts.data()[j] < 0 || sizes.data()[j] < 1 || starts.data()[j] + sizes.data()[j] > units)
      throw std::invalid_argument("resample: a draw would fall outside the units");
  const Kernels kernels = kernels_for(avx2);
  nb::gil_scoped_release release;
  kernels.resample(rows.data(), units, columns, starts.data(), sizes.data(), draws.data(),
                   seeds.data(), static_cast<int64_t>(out.shape(0)), out.data());
}

double lattice_mass(In<int64_t, 2> shifts, In<int64_t, 2> boxes, In<int64_t, 1> origin,
                    int64_t width, int64_t height, In<int64_t, 2> extras, In<int64_t, 1> hi,
                    int64_t hi_y0) {
  const auto steps = static_cast<int64_t>(shifts.shape(1));
  if (shifts.shape(0) != 2 || static_cast<int64_t>(boxes.shape(0)) != steps ||
      (steps > 0 && boxes.shape(1) != 4) || origin.size() != 2 || extras.shape(0) != 2 ||
      extras.shape(1) > 20)
    throw std::invalid_argument("lattice_mass: sizes do not fit");
  const Lattice lattice{steps, shifts.data(), shifts.data() + steps, boxes.data(),
                        origin.data()[0], origin.data()[1], width, height};
  const auto extra = static_cast<int64_t>(extras.shape(1));
  Box box{0, 0, 0, 0};
  if (steps > 0) {
    const int64_t* last = boxes.data() + 4 * (steps - 1);
    box = {last[0], last[1], last[2], last[3]};
  }
  nb::gil_scoped_release release;
  std::vector<double> cells(width * height);
  convolve(lattice, cells.data());
  return upper_mass(lattice, box, extras.data(), extras.data() + extra, extra, hi.data(), hi_y0,
                    cells.data());
}

uint64_t draw(Seeds seeds, int64_t blocks, bool avx2) {
  const Kernels kernels = kernels_for(avx2);
  nb::gil_scoped_release release;
  return kernels.draw(seeds.data(), blocks);
}

}  // namespace
}  // namespace tellapart

NB_MODULE(_native, m) {
  using namespace tellapart;
  m.attr("SHARD") = kShard;
  m.attr("TEST_SIZE") = sizeof(Test);
  m.def("avx2_available", &avx2_available);
  nb::class_<NativePlan>(m, "Plan")
      .def(nb::init<In<int64_t, 2>, bool>(), "values"_a, "avx2"_a)
      .def("subset_sums", &NativePlan::subset_sums, "seeds"_a, "n"_a, "out"_a)
      .def("count", &NativePlan::count, "seeds"_a, "n"_a, "tests"_a, "out"_a);
  m.def("resample", &resample, "rows"_a, "starts"_a, "sizes"_a, "draws"_a, "seeds"_a, "out"_a,
        "avx2"_a);
  m.def("lattice_mass", &lattice_mass, "shifts"_a, "boxes"_a, "origin"_a, "width"_a, "height"_a,
        "extras"_a, "hi"_a, "hi_y0"_a);
  bind_text(m);
  m.def("draw", &draw, "seeds"_a, "blocks"_a, "avx2"_a);
}
