// Each rank runs all tests, in the same order: mpirun -np 8 collectives_mpi --gtest_output=xml:…
#include <gtest/gtest.h>
#include <mpi.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  MPI_Init(&argc, &argv);
  const int result = RUN_ALL_TESTS();
  // Reports are written by now. mpirun ends all ranks as soon as one has failed: nobody leaves before everybody is
  // here.
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return result;
}
