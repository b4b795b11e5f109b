// The five collectives over MPI, for shards of any sizes. All ranks of a communicator call the same functions in the
// same order. A call that fails ends the program: MPI's own error handler says where.
#ifndef COLLECTIVES_MPI_COLLECTIVES_H_
#define COLLECTIVES_MPI_COLLECTIVES_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bfloat16.h"

enum class Op { kSum, kMax, kMin };

// A communicator of ours: freed when it goes, unless it is the world's.
class Comm {
 public:
  static Comm World() { return Comm(MPI_COMM_WORLD, false); }
  // The ranks with the same `color`, in the order of this communicator.
  Comm Split(int color) const {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(handle_, color, rank_, &part);
    return Comm(part, true);
  }
  Comm(Comm&& other) noexcept : handle_(other.handle_), owned_(other.owned_), rank_(other.rank_), size_(other.size_) {
    other.owned_ = false;
  }
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  Comm& operator=(Comm&&) = delete;
  ~Comm() {
    if (owned_) MPI_Comm_free(&handle_);
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm handle() const { return handle_; }

 private:
  Comm(MPI_Comm handle, bool owned) : handle_(handle), owned_(owned) {
    MPI_Comm_rank(handle_, &rank_);
    MPI_Comm_size(handle_, &size_);
  }

  MPI_Comm handle_ = MPI_COMM_NULL;
  bool owned_ = false;
  int rank_ = 0;
  int size_ = 1;
};

// As equal as can be, larger ones first, some perhaps empty.
std::vector<int> SplitSizes(int total, int parts);
// Where each part begins.
std::vector<int> Offsets(const std::vector<int>& sizes);

// MPI's operator for numbers that it knows, and ours for BFloat16.
MPI_Op OperatorFor(Op op, bool bfloat16);

template <typename T>
MPI_Datatype TypeOf();
template <>
inline MPI_Datatype TypeOf<float>() {
  return MPI_FLOAT;
}
template <>
inline MPI_Datatype TypeOf<double>() {
  return MPI_DOUBLE;
}
template <>
inline MPI_Datatype TypeOf<int>() {
  return MPI_INT;
}
template <>
inline MPI_Datatype TypeOf<int64_t>() {
  return MPI_INT64_T;
}
template <>
inline MPI_Datatype TypeOf<BFloat16>() {
  return MPI_UINT16_T;
}

template <typename T>
MPI_Op OperatorOf(Op op) {
  return OperatorFor(op, std::is_same_v<T, BFloat16>);
}

template <typename T>
std::vector<T> AllReduce(const Comm& comm, std::vector<T> values, Op op) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), TypeOf<T>(), OperatorOf<T>(op),
                comm.handle());
  return values;
}

// Everyone's values one after the other; sizes may differ.
template <typename T>
std::vector<T> AllGather(const Comm& comm, const std::vector<T>& mine) {
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<size_t>(comm.size()));
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.handle());
  const std::vector<int> offsets = Offsets(counts);
  std::vector<T> all(static_cast<size_t>(std::accumulate(counts.begin(), counts.end(), 0)));
  MPI_Allgatherv(mine.data(), count, TypeOf<T>(), all.data(), counts.data(), offsets.data(), TypeOf<T>(),
                 comm.handle());
  return all;
}

// This rank's part of the reduced values; `counts` says how they are split.
template <typename T>
std::vector<T> ReduceScatter(const Comm& comm, const std::vector<T>& values, const std::vector<int>& counts, Op op) {
  std::vector<T> mine(static_cast<size_t>(counts[static_cast<size_t>(comm.rank())]));
  MPI_Reduce_scatter(values.data(), mine.data(), counts.data(), TypeOf<T>(), OperatorOf<T>(op), comm.handle());
  return mine;
}

// pieces[i] goes to rank i; returns what came, by rank. Nobody has to know the sizes beforehand.
template <typename T>
std::vector<std::vector<T>> AllToAll(const Comm& comm, const std::vector<std::vector<T>>& pieces) {
  std::vector<int> sending;
  std::vector<T> out;
  for (const std::vector<T>& piece : pieces) {
    sending.push_back(static_cast<int>(piece.size()));
    out.insert(out.end(), piece.begin(), piece.end());
  }
  std::vector<int> receiving(pieces.size());
  MPI_Alltoall(sending.data(), 1, MPI_INT, receiving.data(), 1, MPI_INT, comm.handle());
  const std::vector<int> from = Offsets(sending);
  const std::vector<int> to = Offsets(receiving);
  std::vector<T> in(static_cast<size_t>(std::accumulate(receiving.begin(), receiving.end(), 0)));
  MPI_Alltoallv(out.data(), sending.data(), from.data(), TypeOf<T>(), in.data(), receiving.data(), to.data(),
                TypeOf<T>(), comm.handle());
  std::vector<std::vector<T>> arrived;
  for (size_t rank = 0; rank < receiving.size(); ++rank) {
    arrived.emplace_back(in.begin() + to[rank], in.begin() + to[rank] + receiving[rank]);
  }
  return arrived;
}

template <typename T>
std::vector<T> Broadcast(const Comm& comm, std::vector<T> values, int source) {
  MPI_Bcast(values.data(), static_cast<int>(values.size()), TypeOf<T>(), source, comm.handle());
  return values;
}

#endif  // COLLECTIVES_MPI_COLLECTIVES_H_
