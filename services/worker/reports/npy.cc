#include "services/worker/reports/npy.h"

#include <re2/re2.h>

#include <limits>
#include <optional>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "services/core/lines.h"
#include "services/core/readable.h"
#include "services/worker/errors.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<uint64_t> shape;
};

// "(2, 3)" or "(5,)" without its parentheses.
bool ReadShape(std::string_view text, std::vector<uint64_t>& shape) {
  std::vector<std::string_view> extents = Split(text, ',');
  if (TrimBlanks(extents.back()).empty()) extents.pop_back();
  for (const std::string_view extent : extents) {
    const std::optional<uint64_t> number = NumberOf(TrimBlanks(extent));
    if (!number.has_value() || shape.size() >= kMaxNpyDimensions) return false;
    shape.push_back(*number);
  }
  return true;
}

// The dictionary of a header, a literal of Python whose entries may stand in any order:
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
bool ReadHeader(std::string_view text, Header& header) {
  static const RE2 kBegin(R"(\s*\{)");
  static const RE2 kEntry(R"(\s*['"](\w+)['"]\s*:\s*(?:['"]([^'"]*)['"]|(True|False)|\(([\d\s,]*)\))\s*(,?))");
  static const RE2 kEnd(R"(\s*\}\s*)");
  re2::StringPiece rest(text.data(), text.size());
  if (!RE2::Consume(&rest, kBegin)) return false;
  std::set<std::string> seen;
  std::string key, descr, truth, shape, comma;
  while (RE2::Consume(&rest, kEntry, &key, &descr, &truth, &shape, &comma)) {
    if (!seen.insert(key).second) return false;
    const bool is_tuple = descr.empty() && truth.empty();
    if (key == "shape" && (!is_tuple || !ReadShape(shape, header.shape))) return false;
    if (key == "fortran_order" && truth.empty()) return false;
    if (key == "descr") header.descr = descr;
    if (key == "fortran_order") header.fortran_order = truth == "True";
    if (comma.empty()) break;
  }
  return RE2::FullMatch(rest, kEnd) && seen == std::set<std::string>{"descr", "fortran_order", "shape"};
}

// "<f4" → float32. False: this type is not compared.
bool ReadType(std::string_view descr, NpyArray& array) {
  if (descr.size() != 3) return false;
  const char order = descr[0];
  const char type = descr[1];
  const auto bytes = static_cast<size_t>(descr[2] - '0');
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return false;
  // '|': order does not matter, with one byte only.
  if (order != '<' && order != '=' && (order != '|' || bytes != 1)) return false;
  array.element_bytes = bytes;
  switch (type) {
    case 'f':
      array.kind = ElementKind::kFloat;
      array.dtype = "float" + std::to_string(8 * bytes);
      return bytes != 1;
    case 'i':
    case 'u':
      array.kind = ElementKind::kInteger;
      array.is_signed = type == 'i';
      array.dtype = (array.is_signed ? "int" : "uint") + std::to_string(8 * bytes);
      return true;
    case 'b':
      array.kind = ElementKind::kBoolean;
      array.is_signed = false;
      array.dtype = "bool";
      return bytes == 1;
    default:
      return false;
  }
}

// Nothing where the product is beyond what a file can hold.
std::optional<uint64_t> Product(const std::vector<uint64_t>& shape, uint64_t most) {
  // An empty tensor may have any other extents.
  if (absl::c_linear_search(shape, 0)) return 0;
  uint64_t product = 1;
  for (const uint64_t extent : shape) {
    if (extent > most / product) return std::nullopt;
    product *= extent;
  }
  return product;
}

}  // namespace

absl::StatusOr<NpyArray> ParseNpy(std::string_view file) {
  if (file.empty()) return worker_errors::BadTensor("the file is empty");
  if (file.substr(0, kMagic.size()) != kMagic) return worker_errors::BadTensor("this is no .npy file");
  if (file.size() < 10) return worker_errors::BadTensor("the file is cut off in its header");
  const auto byte = [file](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(file[at])); };
  const size_t major = byte(6);
  if (major < 1 || major > 3) {
    return worker_errors::BadTensor(Concat("the file is of NumPy's format ", major, ", which is not read"));
  }
  // Format 1.0 has two bytes of length, later ones have four.
  size_t begin = 10;
  size_t length = byte(8) | byte(9) << 8U;
  if (major > 1) {
    if (file.size() < 12) return worker_errors::BadTensor("the file is cut off in its header");
    begin = 12;
    length |= byte(10) << 16U | byte(11) << 24U;
  }
  if (length > kMaxNpyHeaderBytes) {
    return worker_errors::ReportTooLarge("its header", length, kMaxNpyHeaderBytes);
  }
  if (length > file.size() - begin) return worker_errors::BadTensor("the file is cut off in its header");
  Header header;
  if (!ReadHeader(file.substr(begin, length), header)) {
    return worker_errors::BadTensor("its header is not that of one array of plain numbers: " +
                                    Quoted(file.substr(begin, length)));
  }
  NpyArray array;
  if (!ReadType(header.descr, array)) {
    return worker_errors::BadTensor("elements of the type " + Quoted(header.descr) +
                                    " are not compared; save little-endian floats of 2, 4 or 8 bytes, integers or "
                                    "booleans");
  }
  array.shape = header.shape;
  if (header.fortran_order && array.shape.size() > 1) {
    return worker_errors::BadTensor("it is in Fortran order; save np.ascontiguousarray() of it");
  }
  array.data = file.substr(begin + length);
  const std::optional<uint64_t> elements =
      Product(array.shape, std::numeric_limits<uint64_t>::max() / array.element_bytes);
  const uint64_t room = array.data.size() / array.element_bytes;
  if (!elements.has_value() || *elements > room) {
    return worker_errors::BadTensor(Concat("the file is cut off: the shape ", ShapeText(array.shape), " of ",
                                           array.dtype, " needs more than its ", array.data.size(), " bytes of data"));
  }
  array.elements = *elements;
  if (*elements * array.element_bytes != array.data.size()) {
    return worker_errors::BadTensor(Concat("the file has ", array.data.size() - *elements * array.element_bytes,
                                           " bytes more than its shape ", ShapeText(array.shape), " says"));
  }
  return array;
}

std::string ShapeText(const std::vector<uint64_t>& shape) {
  return Concat("(", absl::StrJoin(shape, ", "), shape.size() == 1 ? ",)" : ")");
}

}  // namespace yardmaster::worker
