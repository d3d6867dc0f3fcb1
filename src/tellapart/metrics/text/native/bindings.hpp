// Adds the text kernels to the native module.
#pragma once

#include <nanobind/nanobind.h>

namespace tellapart {

void bind_text(nanobind::module_& m);

}  // namespace tellapart
