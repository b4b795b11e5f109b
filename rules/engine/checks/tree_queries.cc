#include "rules/engine/checks/tree_queries.h"

#include "absl/algorithm/container.h"
#include "services/core/thread_clock.h"

namespace yardmaster::rules {
namespace {

// Where fewer than one in so many queries of a language are wanted, they are run one by one: a case of one check need
// not wait for all the others.
constexpr size_t kFew = 4;

}  // namespace

const TreeQuery* TreeQueries::Add(const std::vector<Language>& languages, const std::string& text, std::string& error) {
  for (const TreeQuery& query : queries_) {
    if (query.text == text && query.languages == languages) return &query;
  }
  TreeQuery& query = queries_.emplace_back();
  query = {queries_.size() - 1, languages, text, CaptureNames(text)};
  bool good = true;
  for (const Language language : languages) good = good && TreeProgram::Compile(language, {&query}, error) != nullptr;
  if (good && query.captures.empty()) {
    error = "it captures nothing; expected at least one capture such as @place";
    good = false;
  }
  if (!good) {
    queries_.pop_back();
    return nullptr;
  }
  for (const Language language : languages) {
    auto& queries = together_[static_cast<size_t>(language)].queries;
    if (queries.empty() || queries.back() != &query) queries.push_back(&query);
  }
  return &query;
}

void TreeQueries::Compile() const {
  for (size_t i = 0; i < kLanguageCount; ++i) {
    if (!together_[i].queries.empty()) All(static_cast<Language>(i));
  }
}

const TreeProgram* TreeQueries::All(Language language) const {
  Together& together = together_[static_cast<size_t>(language)];
  std::call_once(together.once, [&] {
    std::string unused;
    together.program = TreeProgram::Compile(language, together.queries, unused);
  });
  return together.program.get();
}

const TreeProgram* TreeQueries::Alone(const TreeQuery& query, Language language) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<const TreeProgram>& program = alone_[{query.number, language}];
  std::string unused;
  if (program == nullptr) program = TreeProgram::Compile(language, {&query}, unused);
  return program.get();
}

bool TreeQueries::Match(const Unit& unit, const std::vector<const TreeQuery*>& wanted, std::chrono::milliseconds limit,
                        std::vector<std::vector<Unit::Match>>& matches) const {
  matches.assign(queries_.size(), {});
  const Language language = unit.facts().language;
  std::vector<const TreeQuery*> here;
  for (const TreeQuery* query : wanted) {
    const bool of_language = absl::c_linear_search(query->languages, language);
    if (of_language && !absl::c_linear_search(here, query)) here.push_back(query);
  }
  if (here.empty()) return true;
  std::vector<const TreeProgram*> programs;
  const size_t all = together_[static_cast<size_t>(language)].queries.size();
  const TreeProgram* program = here.size() * kFew > all && here.size() > 1 ? All(language) : nullptr;
  if (program != nullptr) {
    programs.push_back(program);
  } else {
    programs.reserve(here.size());
    for (const TreeQuery* query : here) programs.push_back(Alone(*query, language));
  }
  const auto deadline = ThreadClock::now() + limit;
  return absl::c_all_of(programs,
                        [&](const TreeProgram* one) { return one == nullptr || one->Match(unit, deadline, matches); });
}

}  // namespace yardmaster::rules
