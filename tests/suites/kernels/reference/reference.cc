#include "reference/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernels::reference {

Values Reduce(Reduction reduction, const Values& x, int64_t rows, int64_t columns) {
  Values out;
  for (int64_t row = 0; row < rows; ++row) {
    double result = reduction == Reduction::kSum ? 0 : -std::numeric_limits<double>::infinity();
    for (int64_t i = row * columns; i < (row + 1) * columns; ++i) {
      const double value = x[static_cast<size_t>(i)];
      if (reduction == Reduction::kSum) {
        result += value;
      } else if (std::isnan(value) || value > result) {
        result = value;
      }
      if (std::isnan(result)) break;
    }
    out.push_back(result);
  }
  return out;
}

Values Softmax(const Values& x, int64_t rows, int64_t columns) {
  Values y(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    const auto begin = x.begin() + row * columns;
    const auto target = y.begin() + row * columns;
    double largest = -std::numeric_limits<double>::infinity();
    for (auto value = begin; value != begin + columns; ++value) largest = std::max(largest, *value);
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i) sum += target[i] = std::exp(begin[i] - largest);
    for (int64_t i = 0; i < columns; ++i) target[i] /= sum;
  }
  return y;
}

Values LayerNorm(const Values& x, const Values& gamma, const Values& beta, int64_t rows, int64_t columns,
                 double epsilon) {
  Values y(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    const auto begin = x.begin() + row * columns;
    double mean = 0;
    for (int64_t i = 0; i < columns; ++i) mean += begin[i] / static_cast<double>(columns);
    double variance = 0;
    for (int64_t i = 0; i < columns; ++i) {
      variance += (begin[i] - mean) * (begin[i] - mean) / static_cast<double>(columns);
    }
    for (int64_t i = 0; i < columns; ++i) {
      const auto index = static_cast<size_t>(i);
      y[static_cast<size_t>(row * columns + i)] =
          (begin[i] - mean) / std::sqrt(variance + epsilon) * gamma[index] + beta[index];
    }
  }
  return y;
}

Values Gemm(const Values& a, const Values& b, const Values& c, int64_t m, int64_t n, int64_t k, double alpha,
            double beta) {
  Values y(static_cast<size_t>(m * n));
  for (int64_t row = 0; row < m; ++row) {
    double* const target = y.data() + row * n;
    for (int64_t i = 0; i < k; ++i) {
      const double factor = alpha * a[static_cast<size_t>(row * k + i)];
      for (int64_t column = 0; column < n; ++column) target[column] += factor * b[static_cast<size_t>(i * n + column)];
    }
    if (beta == 0) continue;
    for (int64_t column = 0; column < n; ++column) target[column] += beta * c[static_cast<size_t>(row * n + column)];
  }
  return y;
}

Values Rotary(Pairing pairing, const Values& x, const std::vector<int32_t>& positions, double base, int64_t tokens,
              int64_t heads, int64_t width) {
  Values y(x.size());
  for (int64_t token = 0; token < tokens; ++token) {
    for (int64_t head = 0; head < heads; ++head) {
      const int64_t offset = (token * heads + head) * width;
      for (int64_t i = 0; i < width / 2; ++i) {
        const double angle = positions[static_cast<size_t>(token)] *
                             std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
        const int64_t first = offset + (pairing == Pairing::kHalves ? i : 2 * i);
        const int64_t second = first + (pairing == Pairing::kHalves ? width / 2 : 1);
        const double left = x[static_cast<size_t>(first)];
        const double right = x[static_cast<size_t>(second)];
        y[static_cast<size_t>(first)] = left * std::cos(angle) - right * std::sin(angle);
        y[static_cast<size_t>(second)] = right * std::cos(angle) + left * std::sin(angle);
      }
    }
  }
  return y;
}

Values Quantised(const Values& x, int64_t rows, int64_t columns, int64_t group) {
  Values y(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t first = 0; first < columns; first += group) {
      const int64_t begin = row * columns + first;
      const int64_t end = begin + std::min(group, columns - first);
      double largest = 0;
      for (int64_t i = begin; i < end; ++i) largest = std::max(largest, std::abs(x[static_cast<size_t>(i)]));
      for (int64_t i = begin; i < end && largest > 0; ++i) {
        y[static_cast<size_t>(i)] = std::nearbyint(x[static_cast<size_t>(i)] / (largest / 127)) * (largest / 127);
      }
    }
  }
  return y;
}

}  // namespace kernels::reference
