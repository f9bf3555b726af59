// Names of kernels, for people.
#pragma once

#include <string>

namespace crosswarp {

/// `matmul_f16_persistent::gemm_kernel<true, 4>` for the symbol of such a function: without parameters, this project's
/// own and anonymous namespaces, and casts of template arguments. Other text as it is.
std::string kernel_name(const char* symbol);

}  // namespace crosswarp
