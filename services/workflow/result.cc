#include "services/workflow/result.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/short_commit.h"

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
    case Result::Outcome::kConflict:
      return "conflict";
    case Result::Outcome::kFailed:
      return "failed";
  }
  return "";
}

ordered_json IdOrNull(const std::string& id) { return id.empty() ? ordered_json(nullptr) : ordered_json(id); }

ordered_json PullJson(const PullRequest& pull) {
  ordered_json json = {{"number", pull.number}, {"url", pull.url}};
  if (pull.state.empty()) return json;
  json.update({{"title", pull.title},
               {"state", pull.state},
               {"author", pull.author},
               {"head", pull.head},
               {"base", pull.base},
               {"labels", pull.labels},
               {"reviewers", pull.reviewers},
               {"created_at", pull.created_at},
               {"updated_at", pull.updated_at},
               {"commits", pull.commits},
               {"files", pull.files},
               {"additions", pull.additions},
               {"deletions", pull.deletions}});
  json["gate"] = nullptr;
  if (!pull.gate_phase.empty()) json["gate"] = {{"pack", pull.gate_pack}, {"phase", pull.gate_phase}};
  return json;
}

std::string PullText(const PullRequest& pull) {
  std::string text = absl::StrCat("  #", pull.number, " ", pull.url, "\n");
  if (pull.state.empty()) return text;
  absl::StrAppend(&text, "  ", pull.title, "\n  ", pull.state, ", by ", pull.author, ", ", pull.head, " → ", pull.base,
                  "\n  ", pull.commits, " commits, ", pull.files, " files, +", pull.additions, " −", pull.deletions,
                  "\n  created ", pull.created_at, ", updated ", pull.updated_at, "\n");
  if (!pull.labels.empty()) absl::StrAppend(&text, "  labels: ", absl::StrJoin(pull.labels, ", "), "\n");
  if (!pull.reviewers.empty()) absl::StrAppend(&text, "  reviewers: ", absl::StrJoin(pull.reviewers, ", "), "\n");
  if (!pull.gate_phase.empty()) {
    absl::StrAppend(&text, "  gate: ", pull.gate_phase, " by its labels, under ", pull.gate_pack, "\n");
  }
  return text;
}

std::string ChangeText(const GitRefChange& change) {
  const auto shown = [](const std::string& id) { return id.empty() ? std::string("(none)") : ShortCommit(id); };
  return absl::StrCat(change.ref, " ", shown(change.old_id), " → ", shown(change.new_id));
}

}  // namespace

Result Refuse(Result result, std::string reason, std::string fix) {
  result.outcome = Result::Outcome::kRefused;
  result.reason = std::move(reason);
  result.fix = std::move(fix);
  result.refs.clear();
  result.backups.clear();
  result.pushed.clear();
  return result;
}

absl::StatusOr<Result> RefuseOrFail(Result result, const absl::Status& status) {
  const bool unreachable = absl::IsUnavailable(status) || absl::IsUnauthenticated(status) ||
                           absl::IsPermissionDenied(status) || absl::IsDeadlineExceeded(status);
  if (!unreachable && !absl::IsFailedPrecondition(status) && !absl::IsAborted(status) && !absl::IsNotFound(status) &&
      !absl::IsCancelled(status)) {
    return status;
  }
  Result refused = Refuse(std::move(result), std::string(status.message()), "");
  if (unreachable) refused.outcome = Result::Outcome::kFailed;
  return refused;
}

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
  ordered_json pushed = ordered_json::array();
  for (const PushedRef& one : result.pushed) {
    pushed.push_back({{"remote", one.remote},
                      {"ref", one.change.ref},
                      {"old", IdOrNull(one.change.old_id)},
                      {"new", IdOrNull(one.change.new_id)},
                      {"forced", one.forced}});
  }
  ordered_json pull = nullptr;
  if (result.pull) pull = PullJson(*result.pull);
  ordered_json json = {{"command", result.command},     {"outcome", OutcomeName(result.outcome)},
                       {"reason", result.reason},       {"fix", result.fix},
                       {"branch", result.branch},       {"before", std::move(before)},
                       {"after", std::move(after)},     {"backups", result.backups},
                       {"pushed", std::move(pushed)},   {"pr", std::move(pull)},
                       {"untracked", result.untracked}, {"steps", std::move(steps)}};
  if (!result.analysis.is_null()) json["analysis"] = result.analysis;
  if (result.message) json["message"] = {{"subject", result.message->subject}, {"body", result.message->body}};
  return json;
}

std::string ToText(const Result& result) {
  // A message alone is what is to be taken from here.
  if (result.message) return result.message->text();
  if (!result.analysis.is_null()) return result.analysis.dump(2) + "\n";
  std::string text = absl::StrCat(result.command, ": ", OutcomeName(result.outcome));
  if (!result.reason.empty()) absl::StrAppend(&text, ": ", result.reason);
  absl::StrAppend(&text, "\n");
  if (!result.fix.empty()) absl::StrAppend(&text, "  what helps: ", result.fix, "\n");
  for (const Step& step : result.steps) absl::StrAppend(&text, "  ", step.id, " ", step.state, ": ", step.detail, "\n");
  for (const GitRefChange& change : result.refs) absl::StrAppend(&text, "  ", ChangeText(change), "\n");
  for (const PushedRef& one : result.pushed) {
    absl::StrAppend(&text, "  ", one.remote, ": ", ChangeText(one.change), one.forced ? " (forced)" : "", "\n");
  }
  if (result.pull) absl::StrAppend(&text, PullText(*result.pull));
  return text;
}

}  // namespace yardmaster::workflow
