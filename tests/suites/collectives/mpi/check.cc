#include "check.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

// NumPy's format 1.0: magic, version, length of the header, the header padded to 64 bytes, little-endian data.
template <typename Element>
void WriteArray(const std::filesystem::path& path, const std::vector<double>& values, const char* kind) {
  std::ostringstream header;
  header << "{'descr': '" << kind << "', 'fortran_order': False, 'shape': (" << values.size() << ",), }";
  std::string text = header.str();
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(text.size() & 0xff));
  file.put(static_cast<char>(text.size() >> 8));
  file << text;
  for (const double value : values) {
    const auto element = static_cast<Element>(value);
    file.write(reinterpret_cast<const char*>(&element), sizeof element);
  }
}

void WriteTensor(const std::filesystem::path& path, const std::vector<double>& values, const std::string& dtype) {
  if (dtype == "float64") {
    WriteArray<double>(path, values, "<f8");
  } else if (dtype == "int64") {
    WriteArray<int64_t>(path, values, "<i8");
  } else {
    // float32, and what it holds exactly.
    WriteArray<float>(path, values, "<f4");
  }
}

std::string FileStem(const std::string& name, const std::string& dtype) {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string stem = std::string(test->test_suite_name()) + "." + test->name() + "." + name;
  for (char& c : stem) {
    if (c == '/') c = '.';
  }
  return stem + "@" + dtype;
}

}  // namespace

testing::AssertionResult CheckValues(const std::string& name, const std::vector<double>& actual,
                                     const std::vector<double>& expected, const std::string& dtype,
                                     const Tolerance& tolerance) {
  if (const char* folder = std::getenv("TENSORS"); folder != nullptr && *folder != '\0') {
    const std::filesystem::path path(folder);
    std::filesystem::create_directories(path);
    const std::string stem = FileStem(name, dtype);
    WriteTensor(path / (stem + ".actual.npy"), actual, dtype);
    WriteTensor(path / (stem + ".expected.npy"), expected, dtype);
  }
  if (actual.size() != expected.size()) {
    return testing::AssertionFailure() << name << " has " << actual.size() << " elements, not " << expected.size();
  }
  size_t off = 0;
  size_t first = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) continue;
    // Written so that a NaN on either side is off.
    const double allowed = tolerance.absolute + tolerance.relative * std::abs(expected[i]);
    if (std::abs(actual[i] - expected[i]) <= allowed) continue;
    if (off++ == 0) first = i;
  }
  if (off == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name << ": " << off << " of " << actual.size() << " elements are off; ["
                                     << first << "] is " << actual[first] << ", not " << expected[first];
}
