// The tree-sitter queries of a set of checks. Those of a language are compiled into one, so that a file is gone over
// once however many there are; that takes long (220 ms for 300 of them), so it is done on first use, or beforehand by
// a thread that has nothing else to do.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_TREE_QUERIES_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_TREE_QUERIES_H_

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rules/engine/checks/tree_program.h"
#include "rules/engine/checks/tree_query.h"
#include "rules/engine/checks/unit.h"
#include "rules/engine/code/language.h"

namespace yardmaster::rules {

class TreeQueries {
 public:
  // Takes a query while checks are loaded; the same one again is the same. Null with `error` set if it does not compile
  // by itself for each of the languages. What is returned lives as long as this.
  const TreeQuery* Add(const std::vector<Language>& languages, const std::string& text, std::string& error);

  bool empty() const { return queries_.empty(); }
  size_t size() const { return queries_.size(); }

  // Safe from many threads at once, once everything was added.

  // Compiles the queries of every language unless that is done.
  void Compile() const;
  // Puts the matches of the queries `wanted` in the file at their numbers in `matches`; of others there may be some or
  // none. Compiling does not count as time. False if the time ran out.
  bool Match(const Unit& unit, const std::vector<const TreeQuery*>& wanted, std::chrono::milliseconds limit,
             std::vector<std::vector<Unit::Match>>& matches) const;

 private:
  // All queries of a language; or, where tree-sitter does not take them all together, none.
  struct Together {
    std::once_flag once;
    std::unique_ptr<const TreeProgram> program;
    std::vector<const TreeQuery*> queries;
  };

  const TreeProgram* All(Language language) const;
  // One query by itself; null where it is not for that language.
  const TreeProgram* Alone(const TreeQuery& query, Language language) const;

  std::deque<TreeQuery> queries_;
  mutable std::array<Together, kLanguageCount> together_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::map<std::pair<size_t, Language>, std::unique_ptr<const TreeProgram>> alone_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_TREE_QUERIES_H_
