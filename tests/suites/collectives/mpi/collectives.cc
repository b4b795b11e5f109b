#include "collectives.h"

#include <algorithm>
#include <array>

namespace {

// Sums are rounded after each step, as a device that reduces bfloat16 in place does.
template <Op kOp>
void Combine(void* in, void* in_out, int* length, MPI_Datatype* /*type*/) {
  const auto* left = static_cast<const BFloat16*>(in);
  auto* right = static_cast<BFloat16*>(in_out);
  for (int i = 0; i < *length; ++i) {
    const auto a = static_cast<float>(left[i]);
    const auto b = static_cast<float>(right[i]);
    float result = a + b;
    if (kOp == Op::kMax) result = std::max(a, b);
    if (kOp == Op::kMin) result = std::min(a, b);
    right[i] = BFloat16(result);
  }
}

template <Op kOp>
MPI_Op Create() {
  MPI_Op made = MPI_OP_NULL;
  MPI_Op_create(&Combine<kOp>, 1, &made);
  return made;
}

}  // namespace

std::vector<int> SplitSizes(int total, int parts) {
  std::vector<int> sizes(static_cast<size_t>(parts), total / parts);
  std::for_each(sizes.begin(), sizes.begin() + total % parts, [](int& size) { ++size; });
  return sizes;
}

std::vector<int> Offsets(const std::vector<int>& sizes) {
  std::vector<int> offsets(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
  return offsets;
}

MPI_Op OperatorFor(Op op, bool bfloat16) {
  if (!bfloat16) return op == Op::kMax ? MPI_MAX : op == Op::kMin ? MPI_MIN : MPI_SUM;
  // Made once, after MPI_Init; MPI_Finalize gives them back.
  static const std::array<MPI_Op, 3> own = {Create<Op::kSum>(), Create<Op::kMax>(), Create<Op::kMin>()};
  return own[static_cast<size_t>(op)];
}
