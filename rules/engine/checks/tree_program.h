// Tree-sitter queries of one or of many checks, compiled for one language into one query.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_TREE_PROGRAM_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_TREE_PROGRAM_H_

#include <re2/re2.h>
#include <tree_sitter/api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rules/engine/checks/tree_query.h"
#include "rules/engine/checks/unit.h"
#include "rules/engine/code/language.h"
#include "services/core/thread_clock.h"

namespace yardmaster::rules {

// Immutable; safe to use from many threads at once.
class TreeProgram {
 public:
  // Null with `error` set if the queries do not compile. They must outlive the program.
  static std::unique_ptr<const TreeProgram> Compile(Language language, const std::vector<const TreeQuery*>& queries,
                                                    std::string& error);

  // Goes over the tree of the file once and puts the matches of each query at its number in `matches`, which must be
  // large enough. False if the time ran out.
  bool Match(const Unit& unit, ThreadClock::time_point deadline, std::vector<std::vector<Unit::Match>>& matches) const;

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
    std::unique_ptr<RE2> pattern;
  };
  struct Pattern {
    size_t query = 0;  // position in `queries_`
    std::vector<Predicate> predicates;
  };

  TreeProgram() = default;
  bool ReadPredicates(uint32_t pattern, std::string& error);

  std::unique_ptr<TSQuery, QueryDeleter> compiled_;
  std::vector<const TreeQuery*> queries_;
  std::vector<Pattern> patterns_;
  uint32_t capture_count_ = 0;
  // By position in `queries_` and capture of the program: the capture of that query.
  std::vector<std::vector<uint32_t>> captures_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_TREE_PROGRAM_H_
