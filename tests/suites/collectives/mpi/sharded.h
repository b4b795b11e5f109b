// Operators on sharded matrices. Each takes what this rank holds and the communicator over which it is sharded.
#ifndef COLLECTIVES_MPI_SHARDED_H_
#define COLLECTIVES_MPI_SHARDED_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "collectives.h"
#include "matrix.h"

// Part `rank` of `matrix`, split evenly by rows or columns.
template <typename T>
Matrix<T> RowShard(const Matrix<T>& matrix, const Comm& comm) {
  const std::vector<int> sizes = SplitSizes(matrix.rows, comm.size());
  const auto rank = static_cast<size_t>(comm.rank());
  return matrix.Rows(Offsets(sizes)[rank], sizes[rank]);
}
template <typename T>
Matrix<T> ColumnShard(const Matrix<T>& matrix, const Comm& comm) {
  const std::vector<int> sizes = SplitSizes(matrix.columns, comm.size());
  const auto rank = static_cast<size_t>(comm.rank());
  return matrix.Columns(Offsets(sizes)[rank], sizes[rank]);
}

// The whole of a matrix that is sharded by rows, or by columns.
template <typename T>
Matrix<T> GatherRows(const Matrix<T>& part, const Comm& comm) {
  Matrix<T> whole;
  whole.columns = part.columns;
  whole.values = AllGather(comm, part.values);
  whole.rows = AllReduce(comm, std::vector<int>{part.rows}, Op::kSum)[0];
  return whole;
}
template <typename T>
Matrix<T> GatherColumns(const Matrix<T>& part, const Comm& comm) {
  return GatherRows(part.Transposed(), comm).Transposed();
}

// Products are summed in double and rounded once, as devices do with a wider accumulator.
template <typename T>
Matrix<T> LocalMatMul(const Matrix<T>& x, const Matrix<T>& w) {
  const Matrix<double> product = ReferenceMatMul(ToDouble(x), ToDouble(w));
  Matrix<T> y(product.rows, product.columns);
  std::transform(product.values.begin(), product.values.end(), y.values.begin(),
                 [](double value) { return T(static_cast<float>(value)); });
  return y;
}
template <>
inline Matrix<double> LocalMatMul(const Matrix<double>& x, const Matrix<double>& w) {
  return ReferenceMatMul(x, w);
}

// Rows whose columns are spread over `comm`: this rank's columns of the softmax.
template <typename T>
Matrix<T> ShardedSoftmax(const Matrix<T>& x, const Comm& comm) {
  std::vector<T> largest(static_cast<size_t>(x.rows), -std::numeric_limits<T>::infinity());
  for (int row = 0; row < x.rows; ++row) {
    for (int column = 0; column < x.columns; ++column) {
      largest[static_cast<size_t>(row)] = std::max(largest[static_cast<size_t>(row)], x.at(row, column));
    }
  }
  largest = AllReduce(comm, largest, Op::kMax);
  Matrix<T> y(x.rows, x.columns);
  std::vector<T> sums(static_cast<size_t>(x.rows));
  for (int row = 0; row < x.rows; ++row) {
    for (int column = 0; column < x.columns; ++column) {
      y.at(row, column) = std::exp(x.at(row, column) - largest[static_cast<size_t>(row)]);
      sums[static_cast<size_t>(row)] += y.at(row, column);
    }
  }
  sums = AllReduce(comm, sums, Op::kSum);
  for (int row = 0; row < x.rows; ++row) {
    for (int column = 0; column < x.columns; ++column) y.at(row, column) /= sums[static_cast<size_t>(row)];
  }
  return y;
}

// Layer norm over `width` columns that are spread over `comm`, as gamma and beta are.
template <typename T>
Matrix<T> ShardedLayerNorm(const Matrix<T>& x, const std::vector<T>& gamma, const std::vector<T>& beta, int width,
                           T epsilon, const Comm& comm) {
  const auto means_of = [&](const Matrix<T>& values) {
    std::vector<T> sums(static_cast<size_t>(values.rows));
    for (int row = 0; row < values.rows; ++row) {
      for (int column = 0; column < values.columns; ++column) sums[static_cast<size_t>(row)] += values.at(row, column);
    }
    sums = AllReduce(comm, sums, Op::kSum);
    for (T& sum : sums) sum /= static_cast<T>(width);
    return sums;
  };
  const std::vector<T> means = means_of(x);
  Matrix<T> y = x;
  Matrix<T> squares(x.rows, x.columns);
  for (int row = 0; row < x.rows; ++row) {
    for (int column = 0; column < x.columns; ++column) {
      y.at(row, column) -= means[static_cast<size_t>(row)];
      squares.at(row, column) = y.at(row, column) * y.at(row, column);
    }
  }
  const std::vector<T> variances = means_of(squares);
  for (int row = 0; row < x.rows; ++row) {
    const T scale = T(1) / std::sqrt(variances[static_cast<size_t>(row)] + epsilon);
    for (int column = 0; column < x.columns; ++column) {
      const auto index = static_cast<size_t>(column);
      y.at(row, column) = y.at(row, column) * scale * gamma[index] + beta[index];
    }
  }
  return y;
}

// Rows of a table whose rows (`vocabulary` in all) are spread over `comm`: this rank's part of the sum.
template <typename T>
Matrix<T> PartialEmbedding(const std::vector<int>& ids, const Matrix<T>& table, int vocabulary, const Comm& comm) {
  const int begin = Offsets(SplitSizes(vocabulary, comm.size()))[static_cast<size_t>(comm.rank())];
  Matrix<T> y(static_cast<int>(ids.size()), table.columns);
  for (int row = 0; row < y.rows; ++row) {
    const int own = ids[static_cast<size_t>(row)] - begin;
    if (own < 0 || own >= table.rows) continue;
    for (int column = 0; column < table.columns; ++column) y.at(row, column) = table.at(own, column);
  }
  return y;
}

// A matrix that is sharded by rows becomes one that is sharded by columns: one all_to_all.
template <typename T>
Matrix<T> RowsToColumns(const Matrix<T>& part, const Comm& comm) {
  const std::vector<int> sizes = SplitSizes(part.columns, comm.size());
  const std::vector<int> offsets = Offsets(sizes);
  std::vector<std::vector<T>> pieces;
  for (size_t rank = 0; rank < sizes.size(); ++rank) pieces.push_back(part.Columns(offsets[rank], sizes[rank]).values);
  Matrix<T> turned;
  turned.columns = sizes[static_cast<size_t>(comm.rank())];
  for (const std::vector<T>& piece : AllToAll(comm, pieces)) {
    turned.values.insert(turned.values.end(), piece.begin(), piece.end());
  }
  turned.rows = AllReduce(comm, std::vector<int>{part.rows}, Op::kSum)[0];
  return turned;
}
template <typename T>
Matrix<T> ColumnsToRows(const Matrix<T>& part, const Comm& comm) {
  return RowsToColumns(part.Transposed(), comm).Transposed();
}

#endif  // COLLECTIVES_MPI_SHARDED_H_
