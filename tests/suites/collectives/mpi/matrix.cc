#include "matrix.h"

#include <algorithm>
#include <cmath>

double Draw(uint64_t seed, uint64_t index) {
  // splitmix64
  uint64_t state = seed * 0x9e3779b97f4a7c15u + index + 1;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
  state ^= state >> 31;
  return (static_cast<double>(state % 129) - 64) / 64;
}

Matrix<double> ReferenceMatMul(const Matrix<double>& x, const Matrix<double>& w) {
  Matrix<double> y(x.rows, w.columns);
  for (int row = 0; row < x.rows; ++row) {
    for (int inner = 0; inner < x.columns; ++inner) {
      for (int column = 0; column < w.columns; ++column) y.at(row, column) += x.at(row, inner) * w.at(inner, column);
    }
  }
  return y;
}

Matrix<double> ReferenceSoftmax(const Matrix<double>& x) {
  Matrix<double> y(x.rows, x.columns);
  for (int row = 0; row < x.rows; ++row) {
    double largest = x.at(row, 0);
    for (int column = 1; column < x.columns; ++column) largest = std::max(largest, x.at(row, column));
    double sum = 0;
    for (int column = 0; column < x.columns; ++column) {
      sum += y.at(row, column) = std::exp(x.at(row, column) - largest);
    }
    for (int column = 0; column < x.columns; ++column) y.at(row, column) /= sum;
  }
  return y;
}

Matrix<double> ReferenceLayerNorm(const Matrix<double>& x, const std::vector<double>& gamma,
                                  const std::vector<double>& beta, double epsilon) {
  Matrix<double> y(x.rows, x.columns);
  for (int row = 0; row < x.rows; ++row) {
    double mean = 0;
    for (int column = 0; column < x.columns; ++column) mean += x.at(row, column) / x.columns;
    double variance = 0;
    for (int column = 0; column < x.columns; ++column) {
      variance += (x.at(row, column) - mean) * (x.at(row, column) - mean) / x.columns;
    }
    for (int column = 0; column < x.columns; ++column) {
      const auto index = static_cast<size_t>(column);
      y.at(row, column) = (x.at(row, column) - mean) / std::sqrt(variance + epsilon) * gamma[index] + beta[index];
    }
  }
  return y;
}

Matrix<double> ReferenceEmbedding(const std::vector<int>& ids, const Matrix<double>& table) {
  Matrix<double> y(static_cast<int>(ids.size()), table.columns);
  for (int row = 0; row < y.rows; ++row) {
    for (int column = 0; column < table.columns; ++column) {
      y.at(row, column) = table.at(ids[static_cast<size_t>(row)], column);
    }
  }
  return y;
}
