// Adds the readers of tables to the native module.
#pragma once

#include <nanobind/nanobind.h>

namespace tellapart {

void bind_tables(nanobind::module_& m);

}  // namespace tellapart
