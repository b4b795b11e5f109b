#include "services/commands/pipe/repository_file_planner.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/commands/pipe/settings.h"
#include "services/commands/repository_file.h"
#include "services/core/defang.h"
#include "services/core/reasons.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"

namespace yardmaster::commands {
namespace {

constexpr std::string_view kComment = "repository-file";
constexpr size_t kMaxProblemsShown = 20;
constexpr size_t kMaxProblemBytes = 500;

const ForgePullFile* Changed(const ForgePullFileList& files, const std::string& path) {
  const auto it = absl::c_find_if(
      files.files, [&](const ForgePullFile& file) { return file.path == path || file.previous_path == path; });
  return it == files.files.end() ? nullptr : &*it;
}

std::string Verdict(const std::string& path, const Problems& problems) {
  if (problems.empty()) return absl::StrCat("### ", EchoCode(path), " is valid\n\nIt holds when this is merged.\n");
  std::string out =
      absl::StrCat("### ", EchoCode(path), " has ", problems.size(), problems.size() == 1 ? " problem" : " problems",
                   "\n\nMerged like this it could not be read, and nothing would be written for "
                   "anybody.\n\n| line | place | problem |\n|---|---|---|\n");
  size_t shown = 0;
  for (const Problem& problem : problems) {
    if (shown++ == kMaxProblemsShown) break;
    absl::StrAppend(&out, "| ", problem.line, " | ",
                    TableCell(EchoCode(problem.pointer.empty() ? "/" : problem.pointer)), " | ",
                    EchoText(problem.message, kMaxProblemBytes), " |\n");
  }
  if (problems.size() > kMaxProblemsShown)
    absl::StrAppend(&out, "\nand ", problems.size() - kMaxProblemsShown, " more\n");
  return out;
}

}  // namespace

bool RepositoryFilePlanner::Handles(v1::SubjectKind kind, const rules::PackModel&) const {
  return kind == v1::SUBJECT_KIND_PULL_REQUEST;
}

TriggerResult RepositoryFilePlanner::TriggerFor(const RoutedEvent& event, const rules::PackModel&,
                                                const std::vector<std::string>*) const {
  // A review says it, at the line.
  const v1::Subject& subject = event.event.subject();
  const RepositoryConfig* entry = config_.FindRepository(subject.forge(), subject.repository());
  if (entry != nullptr && entry->review.events) return {Trigger::kNone, reasons::kNoTrigger};
  switch (event.event.kind()) {
    case v1::Event::KIND_OPENED:
    case v1::Event::KIND_REOPENED:
    case v1::Event::KIND_PUSHED:
      return {Trigger::kPlan, {}};
    default:
      return {Trigger::kNone, reasons::kNoTrigger};
  }
}

std::string_view RepositoryFilePlanner::SkipReason(const PlanInput& input) const {
  const absl::StatusOr<const ForgePullFileList*> files = input.view.PullFiles();
  // An error comes again when the plan is made.
  if (!files.ok()) return {};
  return Changed(**files, RepositoryFilePath(input.snapshot.subject().forge())) == nullptr ? reasons::kNothingToCheck
                                                                                           : std::string_view();
}

std::string RepositoryFilePlanner::Digest(const PlanInput& input) const {
  const absl::StatusOr<const ForgePull*> pull = input.view.Pull();
  // The same commit says the same; an unknown commit is like none seen before.
  if (!pull.ok() || (*pull)->head_sha.empty()) return ShortDigest("file of " + input.event.id());
  return ShortDigest("file at " + (*pull)->head_sha);
}

absl::Status RepositoryFilePlanner::Plan(const PlanInput& input, v1::Plan& plan) const {
  const v1::Subject& subject = input.snapshot.subject();
  const std::string path = RepositoryFilePath(subject.forge());
  RETURN_IF_ERROR(input.view.PullFiles().status());
  ASSIGN_OR_RETURN(const ForgePull* pull, input.view.Pull());
  absl::StatusOr<std::optional<std::string>> text = input.view.File("", path, pull->head_sha);
  if (text.ok() && !text->has_value() && !pull->head_repository.empty()) {
    text = input.view.File(pull->head_repository, path, pull->head_sha);
  }
  if (!text.ok()) return text.status();

  *plan.mutable_subject() = subject;
  plan.set_pack(input.pack->model().name);
  plan.set_pack_revision(input.pack->model().revision);
  plan.set_mode(input.mode);
  v1::StepOutcome& step = *plan.mutable_explanation()->add_steps();
  step.set_id("repository-file");
  step.set_taken(true);
  v1::AnswerComment& comment = *plan.add_actions()->mutable_answer_comment();
  comment.set_name(std::string(kComment));
  if (!text->has_value()) {
    step.set_why("the file is removed");
    comment.set_body(absl::StrCat("### ", EchoCode(path),
                                  " is removed\n\nFrom the merge on the organisation's defaults and the daemon's "
                                  "configuration hold.\n"));
    return absl::OkStatus();
  }
  const std::shared_ptr<const PackSet> packs = packs_ == nullptr ? nullptr : packs_();
  const Problems problems = CheckRepositoryFile(subject, **text, config_, packs.get());
  step.set_why(absl::StrCat(problems.size(), problems.size() == 1 ? " problem" : " problems"));
  comment.set_body(Verdict(path, problems));
  return absl::OkStatus();
}

}  // namespace yardmaster::commands
