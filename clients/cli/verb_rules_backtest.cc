// `yard rules backtest`: issues decided under two revisions of a pack, or merged changes of a clone reviewed.
#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/backtest_text.h"
#include "clients/cli/batch.h"
#include "clients/cli/connection.h"
#include "clients/cli/files.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/progress.h"
#include "clients/cli/review_packs.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/verbs.h"
#include "clients/git/git_repository.h"
#include "rules/engine/code/source_cache.h"
#include "services/core/clock.h"
#include "services/core/limits.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/core/status_macros.h"
#include "services/packs/answers.h"
#include "services/packs/backtest.h"
#include "services/review/backtest/backtest.h"
#include "services/review/backtest/merged_meta.h"
#include "services/review/backtest/verdicts.h"
#include "services/review/git_change.h"
#include "services/triage/eval_lines.h"
#include "yardmaster/v1/rules.grpc.pb.h"

namespace yardmaster::cli {
namespace {

constexpr std::chrono::seconds kBacktestTimeout{600};
// What a history has in common from change to change is read once.
constexpr size_t kMaxCachedSources = 256 * 1024 * 1024;
// Of one change; of more, the newest are looked at.
constexpr size_t kMaxMergedCommits = 250;

struct BacktestOptions {
  std::string pack;
  std::string candidate;
  // Of issues.
  std::string issues;
  // Of merged changes.
  std::string repo;
  std::string range;
  int last = 100;
  std::string verdicts;
  std::string sample;
  std::string findings;
  int sample_size = 60;
  std::string profile;
};

// --- of issues ---

absl::StatusOr<v1::BacktestResponse> BacktestLocally(const BacktestOptions& options, const std::vector<EvalCase>& cases,
                                                     const Session& session) {
  if (options.candidate.empty()) {
    return UsageError("with --local a backtest compares two folders: name the other one with --candidate DIR");
  }
  ASSIGN_OR_RETURN(const PacksFolder folder, LocalPacksFolder(session));
  ASSIGN_OR_RETURN(const auto base, CompileLocalPack(folder, options.pack));

  Problems problems;
  std::shared_ptr<const rules::CompiledPack> candidate;
  if (IsPackFolder(options.candidate)) {
    const PackAtFolder pack = ReadPackAt(session, options.candidate);
    candidate = BuildPack(pack.folder, pack.name, problems);
  } else {
    candidate = BuildPack(ReadPacksFolder(options.candidate), options.pack, problems);
  }
  if (candidate == nullptr) return ProblemsError("the candidate is not valid:", problems);

  const SystemClock clock;
  Progress progress(ProgressStream(session), clock, "cases", cases.size());
  ASSIGN_OR_RETURN(const BacktestResult result, RunBacktest(*base, *candidate, cases.size(), [&](size_t i) {
                     progress.Done();
                     return TextOf(cases[i].issue);
                   }));
  v1::BacktestResponse response;
  response.set_base_revision(base->model().revision);
  response.set_candidate_revision(candidate->model().revision);
  WriteBacktest(result, response);
  for (v1::IssueDifference& issue : *response.mutable_issues()) {
    *issue.mutable_subject() = cases[issue.index()].issue.subject();
  }
  return response;
}

absl::StatusOr<v1::BacktestResponse> BacktestByServer(const BacktestOptions& options,
                                                      const std::vector<EvalCase>& cases, const Session& session) {
  v1::BacktestRequest request;
  request.set_pack(options.pack);
  for (const EvalCase& eval_case : cases) *request.add_cases() = eval_case.issue;
  if (!options.candidate.empty()) {
    // A folder of packs, or the pack's own.
    const std::string dir =
        IsPackFolder(options.candidate) ? options.candidate : options.candidate + "/" + options.pack;
    if (!IsPackFolder(dir)) {
      return UsageError(absl::StrCat("--candidate: there is no pack in '", options.candidate,
                                     "': expected a folder with a pack.json"));
    }
    AddOwnFiles(ReadPackAt(session, dir), *request.mutable_candidate());
  }
  if (request.ByteSizeLong() > kMaxRpcMessageBytes) {
    return UsageError(absl::StrCat("the issues are too much for one call: ", request.ByteSizeLong(), " bytes, at most ",
                                   kMaxRpcMessageBytes),
                      {"Use fewer issues, or compare two folders with --local --candidate DIR."});
  }
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/true));
  return server.Call(&v1::RulesService::Stub::Backtest, request, kBacktestTimeout);
}

absl::StatusOr<ExitCode> BacktestIssues(const BacktestOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const std::vector<EvalCase> cases,
                   ReadIssues(options.issues, session.env, "the issues can't be read:"));
  ASSIGN_OR_RETURN(const v1::BacktestResponse response, session.options.local
                                                            ? BacktestLocally(options, cases, session)
                                                            : BacktestByServer(options, cases, session));
  PrintAnswer(response, BacktestJson, BacktestText, session);
  return ExitCode::kDone;
}

// --- of merged changes ---

struct History {
  std::unique_ptr<GitRepository> repository;
  std::vector<GitCommit> commits;  // newest first
};

// The range of "A..B" and "A.."; without one all of HEAD.
struct Range {
  std::string base;
  std::string head = "HEAD";
};

absl::StatusOr<Range> ParseRange(const std::string& text) {
  Range range;
  if (text.empty()) return range;
  const size_t dots = text.find("..");
  if (dots == std::string::npos || dots == 0) return UsageError("--range: expected A..B, or A.. for A..HEAD");
  range.base = text.substr(0, dots);
  if (dots + 2 < text.size()) range.head = text.substr(dots + 2);
  return range;
}

absl::StatusOr<History> ReadHistory(const std::string& repo, const Range& range, int last) {
  History history;
  ASSIGN_OR_RETURN(history.repository, GitRepository::Open(repo));
  std::string base;
  if (!range.base.empty()) {
    ASSIGN_OR_RETURN(base, history.repository->Resolve(range.base));
  }
  ASSIGN_OR_RETURN(const std::string head, history.repository->Resolve(range.head));
  ASSIGN_OR_RETURN(history.commits, history.repository->Merged(base, head, static_cast<size_t>(last)));
  return history;
}

absl::StatusOr<PullMeta> MetaOf(const GitCommit& commit, GitRepository& repository) {
  std::vector<GitCommit> merged = {commit};
  if (commit.parents.size() > 1) {
    ASSIGN_OR_RETURN(merged, repository.Commits(commit.parents[0], commit.parents[1], kMaxMergedCommits));
  }
  std::vector<PullMeta::Commit> commits;
  commits.reserve(merged.size());
  for (GitCommit& one : merged) commits.push_back({one.id, std::move(one.message), std::move(one.author_name)});
  return MetaOfMerged(commit.message, std::move(commits));
}

absl::StatusOr<ReplayedChange> ReplayCommit(const ReviewPacks& packs, const GitCommit& commit, DiffReviewOptions review,
                                            GitRepository& repository) {
  ASSIGN_OR_RETURN(std::unique_ptr<GitTree> base, repository.TreeOf(commit.parents.front()));
  ASSIGN_OR_RETURN(std::unique_ptr<GitTree> head, repository.TreeOf(commit.id));
  ASSIGN_OR_RETURN(const std::unique_ptr<GitChange> change,
                   GitChange::Between(repository, std::move(base), std::move(head)));
  ASSIGN_OR_RETURN(review.meta, MetaOf(commit, repository));
  return Replay(packs, *change, review, commit.id, commit.message.substr(0, commit.message.find('\n')));
}

// The pack as it is and, where one is given, the candidate.
absl::StatusOr<HistoryBacktest> ReplayHistory(const BacktestOptions& options, Session& session) {
  HistoryBacktest result;
  result.pack = options.pack;
  ASSIGN_OR_RETURN(result.base.packs, LoadReviewPacks(session, {options.pack}, {}));
  if (!options.candidate.empty()) {
    const std::string folder =
        IsPackFolder(options.candidate) ? options.candidate : options.candidate + "/" + options.pack;
    if (!IsPackFolder(folder)) {
      return UsageError(absl::StrCat("--candidate: there is no pack in '", options.candidate,
                                     "': expected a folder with a pack.json"));
    }
    ASSIGN_OR_RETURN(result.candidate.emplace().packs, LoadReviewPacks(session, {folder}, {}));
  }
  ASSIGN_OR_RETURN(const Range range, ParseRange(options.range));
  const absl::StatusOr<History> history = ReadHistory(options.repo, range, options.last);
  if (!history.ok()) return AsUsage(history.status());
  if (history->commits.empty()) return UsageError("there is no commit in that range");

  rules::SourceCache sources(kMaxCachedSources);
  DiffReviewOptions review;
  review.profile = options.profile;
  review.today = absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone());
  review.jobs = std::max(1u, std::thread::hardware_concurrency());
  review.sources = &sources;
  const SystemClock clock;
  Progress progress(ProgressStream(session), clock, "changes", history->commits.size());
  for (const GitCommit& commit : history->commits) {
    absl::Status status;
    if (commit.parents.empty()) {
      status = absl::NotFoundError("it has no parent");
    } else {
      for (HistoryRun* const run : {&result.base, result.candidate.has_value() ? &*result.candidate : nullptr}) {
        if (run == nullptr || !status.ok()) continue;
        absl::StatusOr<ReplayedChange> change = ReplayCommit(run->packs, commit, review, *history->repository);
        status = change.status();
        if (change.ok()) run->changes.push_back(*std::move(change));
      }
    }
    if (absl::IsInvalidArgument(status)) return AsUsage(status);  // the profile: of no change
    if (!status.ok()) result.left_out.push_back({commit.id, std::string(status.message())});
    progress.Done();
  }
  return result;
}

// Lines to judge: what is found, without a verdict yet.
absl::Status WriteSample(const BacktestOptions& options, const HistoryBacktest& result, Session& session) {
  const HistoryRun& run = result.candidate.has_value() ? *result.candidate : result.base;
  const std::vector<FindingAt> sample =
      SampleOf(Judge(result.verdicts, run.changes).unjudged, static_cast<size_t>(options.sample_size));
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Create(options.sample, session.env));
  const std::string repository = std::filesystem::weakly_canonical(options.repo).stem().string();
  for (const FindingAt& at : sample) file->stream() << VerdictLine(repository, at) << '\n';
  RETURN_IF_ERROR(file->Commit());
  session.output.Note(absl::StrCat(sample.size(), " findings to judge: ", options.sample));
  return absl::OkStatus();
}

// All that is found, a line each; of a candidate where there is one.
absl::Status WriteFindings(const BacktestOptions& options, const HistoryBacktest& result, Session& session) {
  const HistoryRun& run = result.candidate.has_value() ? *result.candidate : result.base;
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Create(options.findings, session.env));
  for (const ReplayedChange& change : run.changes) {
    for (const ReplayedFinding& finding : change.findings) file->stream() << FindingLine({&change, &finding}) << '\n';
  }
  return file->Commit();
}

absl::StatusOr<ExitCode> BacktestHistory(const BacktestOptions& options, Session& session) {
  if (session.options.server_given) {
    return UsageError("'rules backtest --repo' reviews a clone that lies here: it works without a server");
  }
  std::vector<Verdict> verdicts;
  if (!options.verdicts.empty()) {
    ASSIGN_OR_RETURN(const std::string text, ReadInputFile(options.verdicts, session.env, kMaxVerdictBytes));
    Problems problems;
    std::optional<std::vector<Verdict>> read = ReadVerdicts(text, options.verdicts, problems);
    if (!read.has_value()) return ProblemsError("the verdicts can't be used:", problems);
    verdicts = *std::move(read);
  }
  ASSIGN_OR_RETURN(HistoryBacktest result, ReplayHistory(options, session));
  result.verdicts = std::move(verdicts);
  if (!options.sample.empty()) RETURN_IF_ERROR(WriteSample(options, result, session));
  if (!options.findings.empty()) RETURN_IF_ERROR(WriteFindings(options, result, session));
  PrintAnswer(result, HistoryBacktestJson, HistoryBacktestText, session);
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> Backtest(const BacktestOptions& options, Session& session) {
  if (options.issues.empty() == options.repo.empty()) {
    return UsageError("expected one of: --issues FILE, --repo DIR");
  }
  return options.issues.empty() ? BacktestHistory(options, session) : BacktestIssues(options, session);
}

}  // namespace

void AddRulesBacktestVerb(Verb& rules) {
  Verb& backtest = rules.Add(
      "backtest", "Decide issues, or review merged changes, under two revisions of a pack and show what differs",
      {"yard rules backtest --pack my-pack --issues issues.jsonl",
       "yard rules backtest --pack my-pack --issues issues.jsonl --candidate ./candidates/my-pack",
       "yard rules backtest --local --pack my-pack --issues issues.jsonl --packs ./old --candidate ./new",
       "yard rules backtest --pack my-pack --repo ~/clone --last 200",
       "yard rules backtest --pack my-pack --repo ~/clone --range v1.0..main --verdicts judged.jsonl "
       "--candidate ./new",
       "yard rules backtest --pack my-pack --repo ~/clone --verdicts judged.jsonl --sample judge-these.jsonl"});
  BacktestOptions& options = backtest.Runs(Backtest);
  backtest.Value("--pack", &options.pack, "PACK", "Pack to look at: the one in service is the base").Required();
  backtest.Value("--candidate", &options.candidate, "DIR",
                 "Folder with the candidate, or with packs of which it is one (default for issues: the server's packs "
                 "folder as it is now; for changes: none)");
  backtest.Value("--issues", &options.issues, "FILE", "File with one issue a line; - is stdin");
  backtest.Value("--repo", &options.repo, "DIR",
                 "A clone: each commit of its branch is reviewed against its first parent");
  backtest.Value("--last", &options.last, "N", "At most so many commits, the newest (default: 100)").Between(1, 100000);
  backtest.Value("--range", &options.range, "A..B", "Only commits that B has and A has not (default: all of HEAD)");
  backtest.Value("--profile", &options.profile, "PROFILE", "Profile of the pack (default: the pack's)");
  backtest.Value("--verdicts", &options.verdicts, "FILE",
                 "What was judged, one finding a line: {repository, commit, rule, path, line, verdict, why}");
  backtest.Value("--sample", &options.sample, "FILE",
                 "Write blocking and major findings without a verdict there, to be judged");
  backtest.Value("--findings", &options.findings, "FILE",
                 "Write every finding there, one a line: {commit, rule, severity, path, line, message}");
  backtest.Value("--sample-size", &options.sample_size, "N", "How many (default: 60)").Between(1, 10000);
}

}  // namespace yardmaster::cli
