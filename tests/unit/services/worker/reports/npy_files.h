// Files as NumPy writes them.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_WORKER_REPORTS_NPY_FILES_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_WORKER_REPORTS_NPY_FILES_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace yardmaster::worker {

// A file of format 1.0 with this header and these bytes of data.
inline std::string NpyFile(const std::string& header, const std::string& data) {
  std::string padded = header;
  while ((10 + padded.size() + 1) % 64 != 0) padded += ' ';
  padded += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(padded.size() & 0xffU);
  file += static_cast<char>(padded.size() >> 8U);
  return file + padded + data;
}

inline std::string NpyHeader(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// One dimension.
template <typename T>
std::string Npy(const std::string& descr, const std::vector<T>& values) {
  return NpyFile(NpyHeader(descr, "(" + std::to_string(values.size()) + ",)"), Bytes(values));
}

}  // namespace yardmaster::worker

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_WORKER_REPORTS_NPY_FILES_H_
