// A small dense matrix, its inputs by seed (the same on every rank), and the single-process references in double.
#ifndef COLLECTIVES_MPI_MATRIX_H_
#define COLLECTIVES_MPI_MATRIX_H_

#include <stddef.h>

#include <cstdint>
#include <vector>

template <typename T>
struct Matrix {
  int rows = 0;
  int columns = 0;
  std::vector<T> values;

  Matrix() = default;
  Matrix(int row_count, int column_count)
      : rows(row_count), columns(column_count), values(static_cast<size_t>(row_count) * column_count) {}

  T& at(int row, int column) { return values[static_cast<size_t>(row) * columns + column]; }
  const T& at(int row, int column) const { return values[static_cast<size_t>(row) * columns + column]; }

  // Rows [begin, begin + count).
  Matrix Rows(int begin, int count) const {
    Matrix part(count, columns);
    part.values.assign(values.begin() + static_cast<int64_t>(begin) * columns,
                       values.begin() + static_cast<int64_t>(begin + count) * columns);
    return part;
  }
  Matrix Columns(int begin, int count) const {
    Matrix part(rows, count);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < count; ++column) part.at(row, column) = at(row, begin + column);
    }
    return part;
  }
  Matrix Transposed() const {
    Matrix turned(columns, rows);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) turned.at(column, row) = at(row, column);
    }
    return turned;
  }
};

// Multiples of 1/64 in [-1, 1], which all dtypes hold exactly; whole numbers in [-64, 64] for integers.
double Draw(uint64_t seed, uint64_t index);

template <typename T>
std::vector<T> MakeValues(int count, uint64_t seed) {
  std::vector<T> values(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    const double drawn = Draw(seed, static_cast<uint64_t>(i));
    if constexpr (std::is_integral_v<T>) {
      values[static_cast<size_t>(i)] = static_cast<T>(drawn * 64);
    } else {
      values[static_cast<size_t>(i)] = T(static_cast<float>(drawn));
    }
  }
  return values;
}

template <typename T>
Matrix<T> MakeMatrix(int rows, int columns, uint64_t seed) {
  Matrix<T> made(rows, columns);
  made.values = MakeValues<T>(rows * columns, seed);
  return made;
}

template <typename T>
Matrix<double> ToDouble(const Matrix<T>& matrix) {
  Matrix<double> wide(matrix.rows, matrix.columns);
  for (size_t i = 0; i < matrix.values.size(); ++i) wide.values[i] = static_cast<double>(matrix.values[i]);
  return wide;
}

Matrix<double> ReferenceMatMul(const Matrix<double>& x, const Matrix<double>& w);
Matrix<double> ReferenceSoftmax(const Matrix<double>& x);
Matrix<double> ReferenceLayerNorm(const Matrix<double>& x, const std::vector<double>& gamma,
                                  const std::vector<double>& beta, double epsilon);
Matrix<double> ReferenceEmbedding(const std::vector<int>& ids, const Matrix<double>& table);

#endif  // COLLECTIVES_MPI_MATRIX_H_
