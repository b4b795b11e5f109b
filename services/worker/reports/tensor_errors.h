// Error statistics of floating-point tensors, block by block: one pass over memory, and per element no more than a few
// vector instructions. What is rare (infinities, NaN, an element that is the worst so far) is done element by element.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_TENSOR_ERRORS_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_TENSOR_ERRORS_H_

#include <cstddef>
#include <cstdint>

#include "rules/suites/suite_model.h"
#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

// Elements that are taken together.
inline constexpr size_t kErrorBlock = 1024;

class TensorErrors {
 public:
  explicit TensorErrors(const rules::Tolerance& tolerance);

  // The next `count` elements, at most kErrorBlock. Both arrays have room for kErrorBlock.
  void AddBlock(const double* actual, const double* expected, size_t count);
  // `count` elements that are known to be equal and finite; `first` is the value of the first.
  void AddEqual(uint64_t count, double first);
  // One element that is known to differ, though the doubles may be the same (integers beyond 2^53).
  void AddUnequal(double actual, double expected);

  // Fills everything of `result` that comes from the elements.
  void Finish(TensorResult& result) const;

 private:
  struct Worst {
    double key = -1;  // error in units of the tolerance
    uint64_t index = 0;
    double actual = 0;
    double expected = 0;
  };

  void AddSlowly(const double* actual, const double* expected, size_t count);
  void AddElement(double actual, double expected, uint64_t index);
  void CountOff(uint64_t index);

  double rtol_;
  double atol_;
  bool exact_;  // no tolerance at all
  uint64_t elements_ = 0;
  uint64_t off_ = 0;
  uint64_t first_off_ = 0;
  uint64_t nan_ = 0;
  uint64_t finite_ = 0;  // elements with a finite error
  double sum_ = 0;
  double squares_ = 0;
  double max_abs_ = 0;
  double max_rel_ = 0;
  uint64_t histogram_[7] = {};
  Worst worst_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_TENSOR_ERRORS_H_
