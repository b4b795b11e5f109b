#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/language_use.h"
#include "rules/engine/checks/review.h"
#include "services/packs/pack_test.h"

namespace yardmaster {

void TestChecks(const rules::CheckSet& checks, const std::vector<std::shared_ptr<const rules::CheckSet>>& others,
                PackTest& result) {
  std::set<std::string> failed;
  std::set<std::string> good;
  std::set<std::string> bad;
  for (rules::CheckCaseResult& one : rules::RunCheckCases(checks)) {
    const rules::CheckInfo* info = checks.Find(one.rule_id);
    if (info == nullptr || info->pack != checks.pack()) continue;
    ++result.cases;
    if (one.passed) {
      (one.name.find("/good/") != std::string::npos ? good : bad).insert(one.rule_id);
      continue;
    }
    failed.insert(one.rule_id);
    result.failures.push_back({one.name, info->file, info->line, {std::move(one.message)}});
  }
  const std::vector<std::string> own_functions = rules::ChecksWithOwnFunctions(checks, others);
  const std::vector<std::string> own_in_pack = rules::ChecksWithOwnFunctions(checks);
  for (const rules::CheckInfo& info : checks.checks()) {
    if (info.pack != checks.pack()) continue;
    ++result.rules;
    result.rules_with_own_function_in_pack += absl::c_linear_search(own_in_pack, info.id) ? 1 : 0;
    result.rules_with_own_function += absl::c_linear_search(own_functions, info.id) ? 1 : 0;
    if (failed.count(info.id) == 0 && good.count(info.id) > 0 && bad.count(info.id) > 0) {
      ++result.rules_covered;
    } else {
      result.uncovered.push_back(info.id);
    }
  }
}

}  // namespace yardmaster
