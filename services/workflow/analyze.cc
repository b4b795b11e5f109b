#include "services/workflow/analyze.h"

#include <re2/re2.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/status_macros.h"
#include "services/workflow/commit_message.h"
#include "services/workflow/default_base.h"
#include "services/workflow/describe.h"
#include "services/workflow/description.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxAnalyzedCommits = 500;

nlohmann::ordered_json FileJson(const FileFacts& facts) {
  const GitTreeEntry& before = facts.file.base;
  const GitTreeEntry& after = facts.file.head;
  nlohmann::ordered_json json;
  json["path"] = after.mode != 0 ? after.path : before.path;
  const bool renamed = before.mode != 0 && after.mode != 0 && before.path != after.path;
  json["state"] = before.mode == 0 ? "added" : after.mode == 0 ? "removed" : renamed ? "renamed" : "changed";
  if (renamed) json["from"] = before.path;
  json["added"] = facts.added;
  json["removed"] = facts.removed;
  return json;
}

nlohmann::ordered_json CommitJson(const GitCommit& commit) {
  static const RE2 kConventional(R"(^([a-z]+)(?:\(([^()]*)\))?(!?): (.*)$)");
  const std::string subject = commit.message.substr(0, commit.message.find('\n'));
  std::string type;
  std::string scope;
  std::string breaking;
  std::string rest = subject;
  RE2::FullMatch(subject, kConventional, &type, &scope, &breaking, &rest);
  return {{"id", commit.id},
          {"type", type},
          {"scope", scope},
          {"breaking", !breaking.empty() || commit.message.find("\nBREAKING CHANGE:") != std::string::npos},
          {"subject", rest}};
}

}  // namespace

absl::StatusOr<Result> Analyze(const AnalyzeRequest& request) {
  Result result;
  result.command = "pr";
  ASSIGN_OR_RETURN(const Workspace work, OpenWorkspace(request.repo, /*dry_run=*/true));
  result.branch = work.branch();
  if (work.state.head.empty()) return Refuse(std::move(result), "the branch has no commit yet", "commit first");
  std::string base;
  if (request.base.empty()) {
    ASSIGN_OR_RETURN(base, DefaultBase(*work.clone));
  } else {
    ASSIGN_OR_RETURN(base, work.clone->Ref("refs/remotes/upstream/" + request.base));
  }
  if (base.empty()) {
    return Refuse(std::move(result), "the branch that this goes to is not known here",
                  "git fetch upstream, or --base BRANCH");
  }
  ASSIGN_OR_RETURN(const std::string left, work.repository->MergeBase(base, work.state.head));
  ASSIGN_OR_RETURN(const std::vector<GitCommit> commits,
                   work.repository->Commits(left, work.state.head, kMaxAnalyzedCommits));
  if (commits.empty()) {
    result.outcome = Result::Outcome::kNothing;
    result.reason = "no new commits relative to its base";
    return result;
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> before, work.repository->TreeOf(left));
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> after, work.repository->TreeOf(work.state.head));
  ASSIGN_OR_RETURN(const std::vector<FileFacts> facts, FactsBetween(*work.repository, *before, *after));

  nlohmann::ordered_json& analysis = result.analysis;
  analysis["base"] = base;
  analysis["merge_base"] = left;
  analysis["files"] = nlohmann::ordered_json::array();
  std::map<std::string, size_t> folders;
  for (const FileFacts& one : facts) {
    analysis["files"].push_back(FileJson(one));
    const std::string& path = one.file.head.mode != 0 ? one.file.head.path : one.file.base.path;
    ++folders[path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'))];
  }
  analysis["folders"] = folders;
  analysis["tests"] = TestFiles(facts);
  analysis["commits"] = nlohmann::ordered_json::array();
  for (const GitCommit& commit : commits) analysis["commits"].push_back(CommitJson(commit));
  analysis["issues"] = IssuesNamed(commits);
  const Description description = Describe(commits, facts, "");
  analysis["title"] = description.title;
  analysis["body"] = description.body;
  result.steps.push_back({"analyze", "done",
                          absl::StrCat(commits.size(), commits.size() == 1 ? " commit, " : " commits, ", facts.size(),
                                       facts.size() == 1 ? " file" : " files")});
  return result;
}

}  // namespace yardmaster::workflow
