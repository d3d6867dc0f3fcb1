// Adds what puts values and ids in order to the native module.
#pragma once

#include <nanobind/nanobind.h>

namespace tellapart {

void bind_decimals(nanobind::module_& m);

}  // namespace tellapart
