// The patterns that take slots out of a text, and which of them may match at all: each has texts that it can't do
// without, and all of these are looked up in one pass.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_FIND_FILTER_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_FIND_FILTER_H_

#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/phrases/byte_trie.h"

namespace yardmaster::rules {

class FindFilter {
 public:
  FindFilter() : filter_(kMinAtom) {}

  // The number of the pattern, counted from 0; -1 with the reason in `error` if it is none.
  int Add(const std::string& pattern, const RE2::Options& options, std::string& error);
  // After the last pattern.
  void Compile();
  const RE2& pattern(int number) const { return filter_.GetRE2(number); }

  // The patterns that may match `text`, in order. All that match are among them.
  std::vector<int> Candidates(std::string_view text) const;

 private:
  // In Chinese one character says much already.
  static constexpr int kMinAtom = 1;

  re2::FilteredRE2 filter_;
  bool empty_ = true;
  ByteTrie atoms_;  // by their numbers
  size_t atom_count_ = 0;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_FIND_FILTER_H_
