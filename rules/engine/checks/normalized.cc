#include "rules/engine/checks/normalized.h"

#include <cstddef>

#include "absl/strings/ascii.h"

namespace yardmaster::rules {
namespace {

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

// The characters that are compared, one after the other.
class Reader {
 public:
  explicit Reader(std::string_view code) : code_(code) { SkipSpace(); }

  bool done() const { return at_ == code_.size(); }

  // Not at the end.
  char Next() {
    char c = Take();
    if (c == ',' && !done() && Closes(code_[at_])) c = Take();
    return c == '\'' ? '"' : c;
  }

 private:
  static bool Closes(char c) { return c == ')' || c == ']' || c == '}'; }
  void SkipSpace() {
    while (!done() && IsSpace(code_[at_])) ++at_;
  }
  char Take() {
    const char c = code_[at_++];
    SkipSpace();
    return c;
  }

  std::string_view code_;
  size_t at_ = 0;
};

}  // namespace

std::string Normalized(std::string_view code) {
  std::string out;
  out.reserve(code.size());
  for (Reader reader(code); !reader.done();) out += reader.Next();
  return out;
}

bool SameNormalized(std::string_view a, std::string_view b) {
  Reader left(a);
  Reader right(b);
  while (!left.done() && !right.done()) {
    if (left.Next() != right.Next()) return false;
  }
  return left.done() && right.done();
}

}  // namespace yardmaster::rules
