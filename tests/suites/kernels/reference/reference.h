// The kernels as plainly as can be, in double, on one thread: what the others are compared with.
#ifndef KERNELS_REFERENCE_REFERENCE_H_
#define KERNELS_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "kernels.h"

namespace kernels::reference {

using Values = std::vector<double>;

Values Reduce(Reduction reduction, const Values& x, int64_t rows, int64_t columns);
Values Softmax(const Values& x, int64_t rows, int64_t columns);
Values LayerNorm(const Values& x, const Values& gamma, const Values& beta, int64_t rows, int64_t columns,
                 double epsilon);
// c is not read with beta 0.
Values Gemm(const Values& a, const Values& b, const Values& c, int64_t m, int64_t n, int64_t k, double alpha,
            double beta);
// Angle of pair i of `width` at position p: p * base^(-2 i / width).
Values Rotary(Pairing pairing, const Values& x, const std::vector<int32_t>& positions, double base, int64_t tokens,
              int64_t heads, int64_t width);
// What quantising and dequantising gives.
Values Quantised(const Values& x, int64_t rows, int64_t columns, int64_t group);

}  // namespace kernels::reference

#endif  // KERNELS_REFERENCE_REFERENCE_H_
