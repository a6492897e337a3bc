// The copies of the kernels of grids that the driver beside this has (grid_kernels.cpp).
#pragma once

#include <map>
#include <string>

namespace fake {

/// Runs the present lane of kernel `name`; false where there is none of that name. `word`: the word
/// of the column just outside a plane, where the options say it.
using RunOfGrid = bool (*)(const std::string& name, void** arguments, int word);

/// Which copy of the kernels of grids these options of a compilation ask for: those of bands have
/// one row a lane, with or without edges that meet neighbours; those of whole grids eight. Null
/// where there is no such copy. `states`: of the one rule that is a program. Those of march and
/// relay are for Life.
RunOfGrid run_of_grid(const std::string& file, const std::map<std::string, int>& options,
                      bool states);

/// Whether that is the copy of bands without edges on a plane, which is compiled but never stepped.
bool never_stepped(const std::string& file, const std::map<std::string, int>& options,
                   RunOfGrid run);

}  // namespace fake
