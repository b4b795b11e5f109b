#include "rules/engine/checks/named_patterns.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/compile_names.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

constexpr std::string_view kUse = "(?&";

// The next use at `from` or behind it that is no escaped parenthesis and stands in no class; npos: none.
size_t NextUse(std::string_view pattern, size_t from, bool& in_class) {
  for (size_t at = from; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\') {
      ++at;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      // A bracket that comes first is a character of the class.
      if (at + 1 < pattern.size() && pattern[at + 1] == '^') ++at;
      if (at + 1 < pattern.size() && pattern[at + 1] == ']') ++at;
    } else if (pattern.substr(at).starts_with(kUse)) {
      return at;
    }
  }
  return std::string_view::npos;
}

class PatternExpander {
 public:
  PatternExpander(const NamedPatterns& named, std::string& error) : named_(named), error_(error) {}

  void Append(std::string_view pattern, std::string& out) {
    bool in_class = false;
    size_t copied = 0;
    for (size_t use = NextUse(pattern, 0, in_class); use != pattern.npos && error_.empty();
         use = NextUse(pattern, copied, in_class)) {
      const size_t end = pattern.find(')', use);
      if (end == pattern.npos) {
        error_ = "missing \")\" behind " + Quoted(pattern.substr(use));
        return;
      }
      Add(pattern.substr(copied, use - copied), out);
      AppendNamed(pattern.substr(use + kUse.size(), end - use - kUse.size()), out);
      copied = end + 1;
    }
    Add(pattern.substr(copied), out);
  }

 private:
  void AppendNamed(std::string_view name, std::string& out) {
    const auto found = named_.find(name);
    if (found == named_.end()) {
      error_ = "unknown pattern " + Quoted(name) + DidYouMean(name, KeysOf(named_));
    } else if (absl::c_linear_search(inside_, name)) {
      error_ = "the pattern " + Quoted(name) + " leads back to itself";
    } else {
      inside_.push_back(name);
      Add("(?:", out);
      Append(found->second, out);
      Add(")", out);
      inside_.pop_back();
    }
  }

  void Add(std::string_view text, std::string& out) {
    if (out.size() + text.size() > kMaxPatternBytes) {
      if (error_.empty()) error_ = "with what it names it has more than " + std::to_string(kMaxPatternBytes) + " bytes";
      return;
    }
    out += text;
  }

  const NamedPatterns& named_;
  std::string& error_;
  std::vector<std::string_view> inside_;  // names that are being expanded
};

}  // namespace

std::string ExpandPattern(std::string_view pattern, const NamedPatterns& named, std::string& error) {
  error.clear();
  std::string out;
  PatternExpander(named, error).Append(pattern, out);
  return out;
}

}  // namespace yardmaster::rules
