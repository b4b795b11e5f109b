#include "services/workflow/result.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"

namespace yardmaster::workflow {
namespace {

using nlohmann::ordered_json;

const char* OutcomeName(Result::Outcome outcome) {
  switch (outcome) {
    case Result::Outcome::kDone:
      return "done";
    case Result::Outcome::kNothing:
      return "nothing";
    case Result::Outcome::kRefused:
      return "refused";
  }
  return "";
}

ordered_json IdOrNull(const std::string& id) { return id.empty() ? ordered_json(nullptr) : ordered_json(id); }

}  // namespace

ordered_json ToJson(const Result& result) {
  ordered_json before = ordered_json::object();
  ordered_json after = ordered_json::object();
  for (const GitRefChange& change : result.refs) {
    before[change.ref] = IdOrNull(change.old_id);
    after[change.ref] = IdOrNull(change.new_id);
  }
  ordered_json steps = ordered_json::array();
  for (const Step& step : result.steps) {
    steps.push_back({{"id", step.id}, {"state", step.state}, {"detail", step.detail}});
  }
  return {{"command", result.command},       {"outcome", OutcomeName(result.outcome)},
          {"reason", result.reason},         {"fix", result.fix},
          {"branch", result.branch},         {"before", std::move(before)},
          {"after", std::move(after)},       {"backups", result.backups},
          {"pushed", ordered_json::array()}, {"pr", nullptr},
          {"untracked", result.untracked},   {"steps", std::move(steps)}};
}

std::string ToText(const Result& result) {
  std::string text = absl::StrCat(result.command, ": ", OutcomeName(result.outcome));
  if (!result.reason.empty()) absl::StrAppend(&text, ": ", result.reason);
  absl::StrAppend(&text, "\n");
  if (!result.fix.empty()) absl::StrAppend(&text, "  what helps: ", result.fix, "\n");
  for (const Step& step : result.steps) absl::StrAppend(&text, "  ", step.id, " ", step.state, ": ", step.detail, "\n");
  for (const GitRefChange& change : result.refs) {
    absl::StrAppend(&text, "  ", change.ref, " ", change.old_id.empty() ? "(none)" : change.old_id.substr(0, 12), " → ",
                    change.new_id.empty() ? "(none)" : change.new_id.substr(0, 12), "\n");
  }
  return text;
}

}  // namespace yardmaster::workflow
