// A tree-sitter query of a check, with its predicates.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_TREE_QUERY_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_TREE_QUERY_H_

#include <re2/re2.h>
#include <tree_sitter/api.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/checks/unit.h"
#include "rules/engine/code/language.h"

namespace yardmaster::rules {

// Immutable after Check; safe to use from many threads at once.
class TreeQuery {
 public:
  TreeQuery(std::vector<Language> languages, std::string text)
      : languages_(std::move(languages)), text_(std::move(text)) {}

  // Compiles for each language; false with `error` set if it does not compile.
  bool Check(std::string& error);

  // Names of the captures, by number.
  const std::vector<std::string>& captures() const { return captures_; }

  // Writes the matches in the file to `unit.matches`. False if the time ran out.
  bool Match(const Unit& unit, std::chrono::steady_clock::time_point deadline) const;

 private:
  struct QueryDeleter {
    void operator()(TSQuery* query) const { ts_query_delete(query); }
  };
  struct Predicate {
    enum class Kind : uint8_t { kEq, kMatch, kAnyOf };
    Kind kind = Kind::kEq;
    bool negated = false;
    uint32_t capture = 0;
    int other = -1;                  // capture to compare with
    std::vector<std::string> texts;  // to compare with
    std::shared_ptr<RE2> pattern;
  };
  struct Compiled {
    Language language = Language::kText;
    std::unique_ptr<TSQuery, QueryDeleter> query;
    std::vector<std::vector<Predicate>> predicates;  // by pattern
    std::vector<uint32_t> captures;                  // number in this query → number in `captures_`
  };

  bool ReadPredicates(Compiled& compiled, std::string& error) const;

  std::vector<Language> languages_;
  std::string text_;
  std::vector<std::string> captures_;
  std::vector<Compiled> compiled_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_TREE_QUERY_H_
