#include "services/worker/reports/tensor_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace yardmaster::worker {
namespace {

// Two doubles: what every processor of the supported kinds has registers for.
using Pair = double __attribute__((vector_size(16)));
using Mask = int64_t __attribute__((vector_size(16)));

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Bounds between the bins of the histogram, in units of the tolerance.
constexpr std::array<double, 6> kBounds = {1e-3, 1e-2, 1e-1, 1, 10, 100};

Pair Load(const double* from) {
  Pair pair;
  std::memcpy(&pair, from, sizeof(pair));
  return pair;
}
void Store(double* to, Pair pair) { std::memcpy(to, &pair, sizeof(pair)); }

// The casts below keep the bits.
Pair Absolute(Pair value) {
  constexpr int64_t kNoSign = std::numeric_limits<int64_t>::max();
  return reinterpret_cast<Pair>(reinterpret_cast<Mask>(value) & Mask{kNoSign, kNoSign});
}
Pair Larger(Pair a, Pair b) {
  const Mask first = a > b;
  return reinterpret_cast<Pair>((first & reinterpret_cast<Mask>(a)) | (~first & reinterpret_cast<Mask>(b)));
}

double LargerOf(Pair pair) { return std::max(pair[0], pair[1]); }

uint64_t CountAbove(const double* values, size_t count, double bound) {
  const Pair bounds = {bound, bound};
  Mask above = {0, 0};
  for (size_t i = 0; i < count; i += 2) above -= Load(values + i) > bounds;
  return static_cast<uint64_t>(above[0] + above[1]);
}

}  // namespace

TensorErrors::TensorErrors(const rules::Tolerance& tolerance)
    : rtol_(tolerance.rtol), atol_(tolerance.atol), exact_(tolerance.rtol == 0 && tolerance.atol == 0) {}

void TensorErrors::AddEqual(uint64_t count, double first) {
  if (worst_.key < 0 && count > 0) worst_ = {0, elements_, first, first};
  histogram_[0] += count;
  finite_ += count;
  elements_ += count;
}

void TensorErrors::AddUnequal(double actual, double expected) {
  const bool looks_equal = actual == expected;
  // Large integers may look the same as doubles.
  AddElement(actual, looks_equal ? actual - std::max(1.0, std::abs(actual) * 0x1p-52) : expected, elements_);
  ++elements_;
}

void TensorErrors::AddBlock(const double* actual, const double* expected, size_t count) {
  // Pairs need an even number; a last one is added by itself.
  const size_t even = count - count % 2;
  alignas(16) std::array<double, kErrorBlock> errors;
  alignas(16) std::array<double, kErrorBlock> keys;
  const Pair rtol = {rtol_, rtol_};
  const Pair atol = {atol_, atol_};
  const Pair zero = {0, 0};
  const Mask infinity = reinterpret_cast<Mask>(Pair{kInfinity, kInfinity});
  const double least = exact_ ? 1 : std::numeric_limits<double>::min();
  const Pair smallest = {least, least};
  Mask strange = {0, 0};
  Mask beyond = {0, 0};
  Pair sum = zero;
  Pair squares = zero;
  Pair max_abs = zero;
  Pair max_rel = zero;
  Pair max_key = zero;
  for (size_t i = 0; i < even; i += 2) {
    const Pair right = Load(expected + i);
    const Pair size = Absolute(right);
    const Pair error = Absolute(Load(actual + i) - right);
    const Pair allowed = atol + rtol * size;
    // Neither NaN nor infinity is 0 when taken from itself.
    const Pair both = error + allowed;
    strange |= ~((both - both) == zero);
    beyond -= error > allowed;
    sum += error;
    squares += error * error;
    max_abs = Larger(error, max_abs);
    // Relative to nothing is no error: an infinite divisor makes it 0.
    const Pair divisor = reinterpret_cast<Pair>(reinterpret_cast<Mask>(size) | ((size == zero) & infinity));
    max_rel = Larger(error / divisor, max_rel);
    const Pair key = error / Larger(allowed, smallest);
    max_key = Larger(key, max_key);
    Store(errors.data() + i, error);
    Store(keys.data() + i, key);
  }
  if (strange[0] != 0 || strange[1] != 0) {
    AddSlowly(actual, expected, count);
    return;
  }
  const auto off = static_cast<uint64_t>(beyond[0] + beyond[1]);
  const double key = LargerOf(max_key);
  if (off > 0 && off_ == 0) {
    size_t first = 0;
    while (first < even && !(errors[first] > atol_ + rtol_ * std::abs(expected[first]))) ++first;
    first_off_ = elements_ + first;
  }
  if (key > worst_.key) {
    const auto place = static_cast<size_t>(std::find(keys.begin(), keys.begin() + even, key) - keys.begin());
    if (place < even) worst_ = {key, elements_ + place, actual[place], expected[place]};
  }
  // Elements above each bound; what is above none of the rest need not be counted.
  std::array<uint64_t, kBounds.size()> above{};
  for (size_t i = 0; i < kBounds.size(); ++i) {
    if (exact_) {
      above[i] = off;
    } else if (kBounds[i] == 1) {
      // Dividing may round: whether it is off was decided by comparing.
      above[i] = off;
    } else {
      above[i] = key > kBounds[i] ? CountAbove(keys.data(), even, kBounds[i]) : 0;
    }
  }
  // Rounding must not make a bin negative.
  for (size_t i = 3; i > 0; --i) above[i - 1] = std::max(above[i - 1], above[i]);
  for (size_t i = 4; i < above.size(); ++i) above[i] = std::min(above[i], above[i - 1]);
  histogram_[0] += even - above[0];
  for (size_t i = 1; i < above.size(); ++i) histogram_[i] += above[i - 1] - above[i];
  histogram_[6] += above[5];
  off_ += off;
  finite_ += even;
  sum_ += sum[0] + sum[1];
  squares_ += squares[0] + squares[1];
  max_abs_ = std::max(max_abs_, LargerOf(max_abs));
  max_rel_ = std::max(max_rel_, LargerOf(max_rel));
  elements_ += even;
  if (even != count) AddSlowly(actual + even, expected + even, 1);
}

void TensorErrors::AddSlowly(const double* actual, const double* expected, size_t count) {
  for (size_t i = 0; i < count; ++i) AddElement(actual[i], expected[i], elements_ + i);
  elements_ += count;
}

void TensorErrors::CountOff(uint64_t index) {
  if (off_ == 0) first_off_ = index;
  ++off_;
}

void TensorErrors::AddElement(double actual, double expected, uint64_t index) {
  const auto is_worst = [&](double key) {
    if (key > worst_.key) worst_ = {key, index, actual, expected};
  };
  if (std::isnan(actual) || std::isnan(expected)) {
    ++nan_;
    CountOff(index);
    ++histogram_[6];
    is_worst(kInfinity);
    return;
  }
  // Infinities that are equal are no error.
  const double error = actual == expected ? 0 : std::abs(actual - expected);
  const double size = std::abs(expected);
  max_abs_ = std::max(max_abs_, error);
  if (std::isinf(error)) {
    CountOff(index);
    ++histogram_[6];
    if (size != 0) max_rel_ = kInfinity;
    is_worst(kInfinity);
    return;
  }
  ++finite_;
  sum_ += error;
  squares_ += error * error;
  if (error == 0) {
    ++histogram_[0];
    is_worst(0);
    return;
  }
  if (size != 0) max_rel_ = std::max(max_rel_, error / size);
  const double allowed = atol_ + rtol_ * size;
  const double key = exact_ ? error : error / std::max(allowed, std::numeric_limits<double>::min());
  is_worst(key);
  const bool off = error > allowed;
  if (off) CountOff(index);
  size_t bin = 0;
  while (bin < kBounds.size() && key > kBounds[bin]) ++bin;
  if (exact_) bin = kBounds.size();
  // The bounds at 1 are those of the comparison itself.
  bin = off ? std::max<size_t>(bin, 4) : std::min<size_t>(bin, 3);
  ++histogram_[bin];
}

void TensorErrors::Finish(TensorResult& result) const {
  result.elements = elements_;
  result.off = off_;
  result.not_a_number = nan_;
  result.max_abs = max_abs_;
  result.max_rel = max_rel_;
  result.mean_abs = finite_ == 0 ? 0 : sum_ / static_cast<double>(finite_);
  result.rms = finite_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(finite_));
  result.worst = worst_.index;
  result.worst_actual = worst_.actual;
  result.worst_expected = worst_.expected;
  result.first_off = first_off_;
  result.histogram.assign(std::begin(histogram_), std::end(histogram_));
}

}  // namespace yardmaster::worker
