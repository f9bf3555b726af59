// Names of kernels, for people.
#pragma once

#include <string>

namespace crosswarp {

/// `matmul_f16_gathered::gemm_kernel<true, 4u>` for the symbol of such a function: without parameters, this project's
/// own and anonymous namespaces, and casts of template arguments to bool and int. Other text as it is.
std::string kernel_name(const char* symbol);

}  // namespace crosswarp
