#include "services/worker/reports/npy.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "absl/algorithm/container.h"
#include "services/core/readable.h"
#include "services/worker/errors.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// Reads the dictionary of a header, a literal of Python:
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  // False: it is no such dictionary.
  bool Read() {
    if (!Take('{')) return false;
    while (!Take('}')) {
      std::string_view key;
      if (!TakeText(key) || !Take(':') || !ReadValue(key)) return false;
      if (Take(',')) continue;
      if (!Take('}')) return false;
      break;
    }
    SkipBlanks();
    return text_.empty() && seen_descr_ && seen_order_ && seen_shape_;
  }

  std::string_view descr() const { return descr_; }
  bool fortran_order() const { return fortran_order_; }
  const std::vector<uint64_t>& shape() const { return shape_; }

 private:
  bool ReadValue(std::string_view key) {
    if (key == "descr" && !seen_descr_) {
      seen_descr_ = true;
      return TakeText(descr_);
    }
    if (key == "fortran_order" && !seen_order_) {
      seen_order_ = true;
      fortran_order_ = TakeWord("True");
      return fortran_order_ || TakeWord("False");
    }
    if (key == "shape" && !seen_shape_) {
      seen_shape_ = true;
      return TakeShape();
    }
    return false;
  }

  void SkipBlanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }
  bool Take(char c) {
    SkipBlanks();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool TakeWord(std::string_view word) {
    SkipBlanks();
    if (text_.substr(0, word.size()) != word) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool TakeText(std::string_view& out) {
    SkipBlanks();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return false;
    const size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool TakeShape() {
    if (!Take('(')) return false;
    while (!Take(')')) {
      SkipBlanks();
      uint64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc() || shape_.size() >= kMaxNpyDimensions) return false;
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      shape_.push_back(size);
      if (Take(',')) continue;
      if (!Take(')')) return false;
      break;
    }
    return true;
  }

  std::string_view text_;
  std::string_view descr_;
  bool fortran_order_ = false;
  std::vector<uint64_t> shape_;
  bool seen_descr_ = false;
  bool seen_order_ = false;
  bool seen_shape_ = false;
};

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
    return worker_errors::BadTensor("the file is of NumPy's format " + std::to_string(major) + ", which is not read");
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
    return worker_errors::BadTensor("its header has " + std::to_string(length) + " bytes; at most " +
                                    std::to_string(kMaxNpyHeaderBytes) + " are read");
  }
  if (length > file.size() - begin) return worker_errors::BadTensor("the file is cut off in its header");
  HeaderReader header(file.substr(begin, length));
  if (!header.Read()) {
    return worker_errors::BadTensor("its header is not that of one array of plain numbers: " +
                                    Quoted(file.substr(begin, length)));
  }
  NpyArray array;
  if (!ReadType(header.descr(), array)) {
    return worker_errors::BadTensor("elements of the type " + Quoted(header.descr()) +
                                    " are not compared; save little-endian floats of 2, 4 or 8 bytes, integers or "
                                    "booleans");
  }
  array.shape = header.shape();
  if (header.fortran_order() && array.shape.size() > 1) {
    return worker_errors::BadTensor("it is in Fortran order; save np.ascontiguousarray() of it");
  }
  array.data = file.substr(begin + length);
  const std::optional<uint64_t> elements =
      Product(array.shape, std::numeric_limits<uint64_t>::max() / array.element_bytes);
  const uint64_t room = array.data.size() / array.element_bytes;
  if (!elements.has_value() || *elements > room) {
    return worker_errors::BadTensor("the file is cut off: the shape " + ShapeText(array.shape) + " of " + array.dtype +
                                    " needs more than its " + std::to_string(array.data.size()) + " bytes of data");
  }
  array.elements = *elements;
  if (*elements * array.element_bytes != array.data.size()) {
    return worker_errors::BadTensor("the file has " +
                                    std::to_string(array.data.size() - *elements * array.element_bytes) +
                                    " bytes more than its shape " + ShapeText(array.shape) + " says");
  }
  return array;
}

std::string ShapeText(const std::vector<uint64_t>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace yardmaster::worker
