#include "services/packs/backtest.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

using Names = std::set<std::string_view>;

Names SetOf(const std::vector<std::string_view>& names) { return Names(names.begin(), names.end()); }

// Those of `a` that are not in `b`, by name.
std::vector<std::string> OnlyInFirst(const Names& a, const Names& b) {
  std::vector<std::string> out;
  for (std::string_view name : a) {
    if (b.count(name) == 0) out.emplace_back(name);
  }
  return out;
}

}  // namespace

absl::StatusOr<BacktestResult> RunBacktest(const rules::CompiledPack& base, const rules::CompiledPack& candidate,
                                           size_t count, const std::function<rules::IssueText(size_t)>& issue,
                                           const KeepGoing& keep_going) {
  for (const rules::CompiledPack* pack : {&base, &candidate}) {
    if (!pack->model().has_rubric) return errors::PackWithoutRubric(pack->model().name);
  }
  BacktestResult result;
  result.cases = count;
  std::map<std::string, LabelChange, std::less<>> labels;
  const auto change = [&](std::string_view label) -> LabelChange& {
    const auto it = labels.find(label);
    return it != labels.end() ? it->second : labels[std::string(label)];
  };

  for (size_t i = 0; i < count; ++i) {
    if (keep_going) {
      RETURN_IF_ERROR(keep_going());
    }
    const rules::IssueText text = issue(i);
    const rules::Decision before = base.Decide(text);
    const rules::Decision after = candidate.Decide(text);

    const Names old_labels = SetOf(before.labels);
    const Names new_labels = SetOf(after.labels);
    IssueChange difference;
    difference.added = OnlyInFirst(new_labels, old_labels);
    difference.removed = OnlyInFirst(old_labels, new_labels);
    difference.applied_added = OnlyInFirst(SetOf(after.applied), SetOf(before.applied));
    difference.applied_removed = OnlyInFirst(SetOf(before.applied), SetOf(after.applied));
    for (std::string_view label : old_labels) ++change(label).base;
    for (std::string_view label : new_labels) ++change(label).candidate;
    for (const std::string& label : difference.added) ++change(label).added;
    for (const std::string& label : difference.removed) ++change(label).removed;
    const bool same_comment = before.comment_template == after.comment_template;
    if (same_comment && difference.added.empty() && difference.removed.empty() && difference.applied_added.empty() &&
        difference.applied_removed.empty()) {
      continue;
    }
    difference.index = i;
    difference.base_template = before.comment_template;
    difference.candidate_template = after.comment_template;
    result.issues.push_back(std::move(difference));
  }
  for (auto& [name, counts] : labels) {
    counts.label = name;
    result.labels.push_back(std::move(counts));
  }
  return result;
}

}  // namespace yardmaster
