#include "services/review/review_service.h"

#include <re2/re2.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/core/rpc/pooled_rpc.h"
#include "services/core/status_macros.h"
#include "services/intake/event.h"
#include "services/review/block_text.h"
#include "services/review/change_reviewer.h"
#include "services/review/gates.h"
#include "services/review/kept_review.h"
#include "services/review/operator_state.h"
#include "services/review/review_messages.h"
#include "services/review/review_run.h"

namespace yardmaster {
namespace {

constexpr std::string_view kReviewFile = "/yardmaster.v1.ReviewService/ReviewFile";
constexpr std::string_view kListChecks = "/yardmaster.v1.ReviewService/ListChecks";
constexpr std::string_view kGetGateStatus = "/yardmaster.v1.ReviewService/GetGateStatus";
constexpr std::string_view kSubmitForVerify = "/yardmaster.v1.ReviewService/SubmitForVerify";
constexpr std::string_view kReviewRange = "/yardmaster.v1.ReviewService/ReviewRange";
constexpr std::string_view kReviewPullRequest = "/yardmaster.v1.ReviewService/ReviewPullRequest";
constexpr std::string_view kImportFindings = "/yardmaster.v1.ReviewService/ImportFindings";
constexpr std::string_view kGetReview = "/yardmaster.v1.ReviewService/GetReview";
constexpr std::string_view kListReviews = "/yardmaster.v1.ReviewService/ListReviews";
constexpr uint32_t kReviewsOnPage = 50;
constexpr uint32_t kMaxReviewsOnPage = 200;
constexpr size_t kMaxImportToolBytes = 100;
constexpr std::string_view kDefaultGate = "phase";
constexpr uint32_t kMaxStage = 1000;

using Files = google::protobuf::RepeatedPtrField<v1::SourceFile>;

// Relative, without "." and ".." and without what no file name holds. `absolute_too` for names that are only told
// again.
absl::Status CheckPath(std::string_view field, std::string_view path, bool absolute_too) {
  if (path.empty()) return errors::FieldMissing(field);
  if (path.size() > kMaxReviewPathBytes) return errors::OverLimit(field, path.size(), kMaxReviewPathBytes, "bytes");
  absl::Status bad =
      errors::FieldInvalid(field, "a relative path with \"/\" between folders and without \".\" and \"..\" as parts");
  if (absl::c_any_of(path, [](char c) { return static_cast<unsigned char>(c) < 0x20; })) return bad;
  if (path.front() == '/' && !absolute_too) return bad;
  if (path.front() == '/') path.remove_prefix(1);
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return bad;
    begin = end + 1;
  }
  return absl::OkStatus();
}

absl::Status CheckFiles(const Files& files, size_t more_bytes = 0) {
  const auto count = static_cast<size_t>(files.size());
  if (count > kMaxOperatorFiles) return errors::OverLimit("files", count, kMaxOperatorFiles, "files");
  size_t bytes = more_bytes;
  std::set<std::string_view> paths;
  for (const v1::SourceFile& file : files) {
    RETURN_IF_ERROR(CheckPath("path", file.path(), false));
    if (!paths.insert(file.path()).second) return errors::FieldInvalid("files", "every path once");
    bytes += file.content().size();
  }
  if (bytes > kMaxOperatorBytes) return errors::OverLimit("files", bytes, kMaxOperatorBytes, "bytes");
  return absl::OkStatus();
}

absl::Status CheckName(std::string_view field, std::string_view name) {
  if (name.size() > kMaxNameBytes) return errors::OverLimit(field, name.size(), kMaxNameBytes, "bytes");
  return absl::OkStatus();
}

absl::Status CheckCommit(std::string_view field, std::string_view commit) {
  if (commit.empty()) return errors::FieldMissing(field);
  const bool full = commit.size() == 40 && absl::c_all_of(commit, [](char c) { return absl::ascii_isxdigit(c); });
  return full ? absl::OkStatus() : errors::FieldInvalid(field, "a commit in full: 40 hex digits");
}

absl::Status CheckPull(const v1::Subject& subject) {
  RETURN_IF_ERROR(CheckSubject(subject));
  if (!subject.forge().empty() && !subject.repository().empty() && subject.number() > 0) return absl::OkStatus();
  return errors::FieldInvalid("subject", "a forge, a repository and a number from 1");
}

absl::Status CheckOperator(std::string_view name) {
  if (name.empty()) return errors::FieldMissing("operator_name");
  RETURN_IF_ERROR(CheckName("operator_name", name));
  static const RE2 kPlain("[a-zA-Z0-9_./-]+");
  return RE2::FullMatch(name, kPlain)
             ? absl::OkStatus()
             : errors::FieldInvalid("operator_name", "letters, digits, \"_\", \"-\", \".\" and \"/\"");
}

absl::StatusOr<std::optional<int>> StageOf(bool has, uint32_t stage) {
  if (!has) return std::optional<int>();
  if (stage > kMaxStage) return errors::OverLimit("stage", stage, kMaxStage, "");
  return std::optional<int>(static_cast<int>(stage));
}

// The texts for the writer, in both languages.
template <typename Response>
void WriteBlock(const ReviewReport& report, const rules::CheckSet* checks, Response& response) {
  response.set_block(BlockText(report, BlockFrameOf(checks, TextLanguage::kEnglish), TextLanguage::kEnglish));
  response.set_block_zh(BlockText(report, BlockFrameOf(checks, TextLanguage::kChinese), TextLanguage::kChinese));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const rules::CheckSet>> ReviewServiceImpl::FindChecks(std::string_view pack) const {
  const std::shared_ptr<const PackSet> set = packs_.Current();
  RETURN_IF_ERROR(FindPack(*set, pack).status());
  std::shared_ptr<const rules::CheckSet> checks = set->FindChecks(pack);
  if (checks == nullptr || checks->checks().empty()) return errors::PackWithoutChecks(pack);
  return checks;
}

grpc::ServerUnaryReactor* ReviewServiceImpl::ReviewFile(grpc::CallbackServerContext* context,
                                                        const v1::ReviewFileRequest* request,
                                                        v1::ReviewFileResponse* response) {
  return HandlePooledUnary(long_calls_, env_, *context, kReviewFile,
                           [this, request, response](const RpcCall&) { return Review(*request, *response); });
}

absl::Status ReviewServiceImpl::Review(const v1::ReviewFileRequest& request, v1::ReviewFileResponse& response) const {
  // 1. The request.
  ASSIGN_OR_RETURN(const std::shared_ptr<const rules::CheckSet> checks, FindChecks(request.pack()));
  if (!request.has_file()) return errors::FieldMissing("file");
  RETURN_IF_ERROR(CheckPath("path", request.file().path(), true));
  RETURN_IF_ERROR(CheckFiles(request.context(), request.file().content().size()));
  for (const std::string_view name :
       {std::string_view(request.profile()), std::string_view(request.role()), std::string_view(request.moment())}) {
    RETURN_IF_ERROR(CheckName("profile, role or moment", name));
  }
  ASSIGN_OR_RETURN(const std::optional<int> stage, StageOf(request.has_stage(), request.stage()));

  // 2. The review.
  std::vector<ReviewInput> inputs = {{request.file().path(), request.role(), "", false}};
  for (const v1::SourceFile& file : request.context()) {
    if (file.path() != request.file().path()) inputs.push_back({file.path(), "", "", true});
  }
  const ReadInput read = [&](size_t index, std::string&) -> std::optional<std::string> {
    if (index == 0) return request.file().content();
    for (const v1::SourceFile& file : request.context()) {
      if (file.path() == inputs[index].path) return file.content();
    }
    return std::nullopt;
  };
  RunOptions options;
  options.profile = request.profile();
  options.stage = stage;
  options.moment = request.moment();
  options.options["partial"] = "yes";
  const auto started = env_.clock.Monotonic();
  ASSIGN_OR_RETURN(ReviewReport report, RunReview({checks}, inputs, read, options));
  report.seconds = std::chrono::duration<double>(env_.clock.Monotonic() - started).count();
  WriteReview(report, *response.mutable_review());
  WriteBlock(report, checks.get(), response);
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* ReviewServiceImpl::ListChecks(grpc::CallbackServerContext* context,
                                                        const v1::ListChecksRequest* request,
                                                        v1::ListChecksResponse* response) {
  return HandleUnary(env_, *context, kListChecks, [&](const RpcCall&) -> absl::Status {
    ASSIGN_OR_RETURN(const std::shared_ptr<const rules::CheckSet> checks, FindChecks(request->pack()));
    WriteChecks(*checks, *response);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* ReviewServiceImpl::GetGateStatus(grpc::CallbackServerContext* context,
                                                           const v1::GetGateStatusRequest* request,
                                                           v1::GetGateStatusResponse* response) {
  return HandlePooledUnary(long_calls_, env_, *context, kGetGateStatus,
                           [this, request, response](const RpcCall&) { return Status(*request, *response); });
}

absl::Status ReviewServiceImpl::Status(const v1::GetGateStatusRequest& request,
                                       v1::GetGateStatusResponse& response) const {
  ASSIGN_OR_RETURN(const std::shared_ptr<const rules::CheckSet> checks, FindChecks(request.pack()));
  RETURN_IF_ERROR(CheckOperator(request.operator_name()));
  if (operators_ == nullptr) return errors::StoreAbsent();
  ASSIGN_OR_RETURN(const std::optional<std::string> kept, operators_->Get(request.pack(), request.operator_name()));
  if (!kept.has_value()) return errors::OperatorNeverSubmitted(request.operator_name());
  const std::optional<OperatorState> state = ParseState(*kept);
  if (!state.has_value()) return errors::StoredValueDamaged("the state of an operator");
  WriteGateStatus(*state, response);
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* ReviewServiceImpl::SubmitForVerify(grpc::CallbackServerContext* context,
                                                             const v1::SubmitForVerifyRequest* request,
                                                             v1::SubmitForVerifyResponse* response) {
  // A call that waits for a git server does not hold up reviews.
  Executor& executor = request->repository().empty() || source_ == nullptr ? long_calls_ : waiting_calls_;
  return HandlePooledUnary(executor, env_, *context, kSubmitForVerify, [this, request, response](const RpcCall& call) {
    return Submit(call, *request, *response);
  });
}

// What a submission is about, however it came.
struct ReviewServiceImpl::SubmittedFiles {
  struct File {
    std::string_view path;
    const std::string* content;
  };
  std::shared_ptr<const rules::CheckSet> checks;
  std::optional<int> stage;
  std::vector<File> files;
  std::vector<rules::SkippedCheck> left_out;
};

absl::Status ReviewServiceImpl::Submit(const RpcCall& call, const v1::SubmitForVerifyRequest& request,
                                       v1::SubmitForVerifyResponse& response) {
  // 1. The request.
  ASSIGN_OR_RETURN(std::shared_ptr<const rules::CheckSet> checks, FindChecks(request.pack()));
  RETURN_IF_ERROR(CheckOperator(request.operator_name()));
  for (const std::string_view name :
       {std::string_view(request.profile()), std::string_view(request.gate()), std::string_view(request.phase())}) {
    RETURN_IF_ERROR(CheckName("profile, gate or phase", name));
  }
  ASSIGN_OR_RETURN(const std::optional<int> stage, StageOf(request.has_stage(), request.stage()));
  const bool from_repository =
      !request.repository().empty() || !request.commit().empty() || !request.directory().empty();
  if (from_repository && !request.files().empty()) {
    return errors::FieldInvalid("files", "files or a repository, not both");
  }
  SubmittedFiles submitted{std::move(checks), stage, {}, {}};

  // 2. The files. Those of a repository are fetched before other calls have to wait.
  GitFolder folder;
  if (from_repository) {
    if (request.repository().empty()) return errors::FieldMissing("repository");
    if (request.commit().empty()) return errors::FieldMissing("commit");
    RETURN_IF_ERROR(CheckName("repository", request.repository()));
    std::string directory = request.directory();
    if (directory.ends_with('/')) directory.pop_back();
    if (!directory.empty() && directory != ".") {
      RETURN_IF_ERROR(CheckPath("directory", directory, false));
    }
    if (operators_ == nullptr) return errors::StoreAbsent();
    if (source_ == nullptr) {
      return errors::ForgeNotConfigured(request.repository().substr(0, request.repository().find(':')));
    }
    ASSIGN_OR_RETURN(GitFolder read,
                     source_->Read({request.repository(), request.commit(), directory == "." ? "" : directory},
                                   request.pack(), [&call] { return call.CheckAlive(); }));
    folder = std::move(read);
    for (const GitLeftOut& entry : folder.left_out) submitted.left_out.push_back({"*", entry.path, entry.reason});
    for (const GitFile& file : folder.files) {
      if (CheckPath("path", file.path, false).ok()) {
        submitted.files.push_back({file.path, &file.content});
      } else {
        submitted.left_out.push_back({"*", file.path, "such a path can't be reviewed"});
      }
    }
    if (submitted.files.empty()) return errors::FolderUnknown(request.directory(), request.commit());
  } else {
    if (request.files().empty()) return errors::FieldMissing("files");
    RETURN_IF_ERROR(CheckFiles(request.files()));
    if (operators_ == nullptr) return errors::StoreAbsent();
    submitted.files.reserve(static_cast<size_t>(request.files_size()));
    for (const v1::SourceFile& file : request.files()) submitted.files.push_back({file.path(), &file.content()});
  }
  return Judge(request, submitted, response);
}

absl::Status ReviewServiceImpl::Judge(const v1::SubmitForVerifyRequest& request, const SubmittedFiles& submitted,
                                      v1::SubmitForVerifyResponse& response) {
  // 1. What is remembered. A damaged memory would let through what it was there to stop.
  const std::lock_guard<std::mutex> one_at_a_time(submissions_);
  ASSIGN_OR_RETURN(const std::optional<std::string> kept, operators_->Get(request.pack(), request.operator_name()));
  OperatorState state;
  if (kept.has_value()) {
    std::optional<OperatorState> read = ParseState(*kept);
    if (!read.has_value()) return errors::StoredValueDamaged("the state of an operator");
    state = *std::move(read);
  }

  // 2. The gate.
  std::vector<ReviewInput> inputs;
  inputs.reserve(submitted.files.size());
  for (const auto& file : submitted.files) inputs.push_back({std::string(file.path), "", "", false});
  const ReadInput read = [&](size_t index, std::string&) -> std::optional<std::string> {
    return *submitted.files[index].content;
  };
  GateRequest gate;
  gate.gate = request.gate().empty() ? std::string(kDefaultGate) : request.gate();
  gate.stage = submitted.stage;
  gate.phase = request.phase();
  gate.profile = request.profile();
  const auto started = env_.clock.Monotonic();
  ASSIGN_OR_RETURN(ReviewReport report, RunGate({submitted.checks}, inputs, read, gate, state));
  report.seconds = std::chrono::duration<double>(env_.clock.Monotonic() - started).count();
  report.skipped.insert(report.skipped.end(), submitted.left_out.begin(), submitted.left_out.end());

  // 3. What is to be remembered.
  std::set<std::string> blocking;
  std::map<std::string, std::vector<rules::Finding>> by_path;
  for (const auto& file : submitted.files) by_path[std::string(file.path)];
  for (const ReportedFinding& reported : report.findings) {
    by_path[reported.finding.path].push_back(reported.finding);
    if (IsBlocking(reported.finding)) blocking.insert(reported.finding.rule_id);
  }
  for (const auto& [path, findings] : by_path) RecordWrite(state, path, findings);
  GateMemory memory;
  memory.gate = report.gate->id;
  memory.phase = report.gate->phase;
  memory.stage = report.gate->stage;
  memory.open = report.gate->open;
  memory.asked_at = std::chrono::duration_cast<std::chrono::milliseconds>(env_.clock.Now().time_since_epoch()).count();
  memory.blocking_rules.assign(blocking.begin(), blocking.end());
  RecordGate(state, std::move(memory));
  RETURN_IF_ERROR(operators_->Put(request.pack(), request.operator_name(), DumpState(state)));

  // 4. The answer.
  response.set_open(report.gate->open);
  WriteReview(report, *response.mutable_review());
  WriteBreaker(state, *response.mutable_breaker());
  WriteBlock(report, submitted.checks.get(), response);
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* ReviewServiceImpl::ReviewRange(grpc::CallbackServerContext* context,
                                                         const v1::ReviewRangeRequest* request,
                                                         v1::ReviewRangeResponse* response) {
  return HandlePooledUnary(waiting_calls_, env_, *context, kReviewRange,
                           [this, request, response](const RpcCall&) { return Range(*request, *response); });
}

absl::Status ReviewServiceImpl::Range(const v1::ReviewRangeRequest& request, v1::ReviewRangeResponse& response) const {
  // 1. The request.
  if (changes_.reviews == nullptr) return errors::StoreAbsent();
  RETURN_IF_ERROR(CheckName("repository", request.repository()));
  const std::pair<std::string, std::string> name = absl::StrSplit(request.repository(), absl::MaxSplits(':', 1));
  const auto& [forge, repository] = name;
  if (forge.empty() || repository.empty()) return errors::FieldInvalid("repository", "FORGE:OWNER/NAME");
  RETURN_IF_ERROR(CheckCommit("base", request.base()));
  RETURN_IF_ERROR(CheckCommit("head", request.head()));
  RETURN_IF_ERROR(CheckName("profile", request.profile()));
  const RepositoryConfig* entry = changes_.config->FindRepository(forge, repository);
  if (entry == nullptr) return errors::RepositoryNotConfigured(request.repository());
  std::vector<std::string> packs = entry->packs;
  if (!request.pack().empty()) {
    RETURN_IF_ERROR(FindChecks(request.pack()).status());
    if (!absl::c_linear_search(packs, request.pack())) {
      return errors::PackNotAllowed(request.pack(), request.repository());
    }
    packs = {request.pack()};
  }
  if (changes_.changes == nullptr) return errors::ForgeNotConfigured(forge);

  // 2. The review.
  ASSIGN_OR_RETURN(const SourcedChange sourced,
                   changes_.changes->Read({forge, repository, request.base(), request.head(), /*pull=*/0}));
  const std::string today = absl::FormatTime("%Y-%m-%d", absl::FromChrono(env_.clock.Now()), absl::UTCTimeZone());
  v1::Subject subject;
  subject.set_forge(forge);
  subject.set_repository(repository);
  ASSIGN_OR_RETURN(const rules::ReviewSettings settings, SettingsAtBase(*sourced.change, subject, changes_.file));
  const ReviewScope scope = ScopeOf(*packs_.Current(), packs, settings, request.profile(), today);
  const ReviewedChange about{subject, request.base(), request.head(), sourced.merge_base, scope.revision, "git"};
  ASSIGN_OR_RETURN(const MadeReview made, ReviewOf(*sourced.change, scope, about, /*earlier=*/nullptr, changes_.file));
  const store::NewReview stored = ToStored(made.review);
  RETURN_IF_ERROR(changes_.reviews->Put(stored));
  ASSIGN_OR_RETURN(const store::Review kept, changes_.reviews->Get(stored.id));
  ASSIGN_OR_RETURN(*response.mutable_review(), FromStored(kept));
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* ReviewServiceImpl::ReviewPullRequest(grpc::CallbackServerContext* context,
                                                               const v1::ReviewPullRequestRequest* request,
                                                               v1::ReviewPullRequestResponse* response) {
  return HandlePooledUnary(
      waiting_calls_, env_, *context, kReviewPullRequest,
      [this, request, response](const RpcCall& call) { return PullRequest(call, *request, *response); });
}

absl::Status ReviewServiceImpl::PullRequest(const RpcCall& call, const v1::ReviewPullRequestRequest& request,
                                            v1::ReviewPullRequestResponse& response) const {
  if (changes_.decider == nullptr || changes_.reviews == nullptr) return errors::StoreAbsent();
  RETURN_IF_ERROR(CheckPull(request.subject()));
  RETURN_IF_ERROR(CheckName("pack", request.pack()));
  // The same code reviews for events and commands, which have no profile of their own.
  if (!request.profile().empty()) {
    return errors::FieldInvalid("profile", "none: the repository's file says it; ReviewRange takes one");
  }
  v1::Subject subject = request.subject();
  subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  ASSIGN_OR_RETURN(const DecisionAnswer decided,
                   request.publish() ? changes_.decider->Apply(subject, request.pack(), call.caller().name,
                                                               [&call] { return call.CheckAlive(); })
                                     : changes_.decider->DecideNow(subject, request.pack()));
  const auto& steps = decided.plan.explanation().steps();
  const auto step = absl::c_find_if(steps, [](const v1::StepOutcome& one) { return one.id() == "review"; });
  if (request.publish() && step != steps.end()) response.set_published(step->why());
  ASSIGN_OR_RETURN(const std::optional<store::Review> stored, changes_.reviews->Latest(subject, ""));
  if (!stored.has_value()) return errors::SubjectWithoutReview(SubjectKey(subject));
  ASSIGN_OR_RETURN(*response.mutable_review(), FromStored(*stored));
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* ReviewServiceImpl::ImportFindings(grpc::CallbackServerContext* context,
                                                            const v1::ImportFindingsRequest* request,
                                                            v1::ImportFindingsResponse* response) {
  return HandlePooledUnary(
      waiting_calls_, env_, *context, kImportFindings,
      [this, request, response](const RpcCall& call) { return Import(call, *request, *response); });
}

absl::Status ReviewServiceImpl::Import(const RpcCall& call, const v1::ImportFindingsRequest& request,
                                       v1::ImportFindingsResponse& response) const {
  // 1. The request.
  if (changes_.decider == nullptr || changes_.reviews == nullptr) return errors::StoreAbsent();
  RETURN_IF_ERROR(CheckPull(request.subject()));
  RETURN_IF_ERROR(CheckCommit("head", request.head()));
  if (request.tool().empty()) return errors::FieldMissing("tool");
  if (request.tool().size() > kMaxImportToolBytes) {
    return errors::OverLimit("tool", request.tool().size(), kMaxImportToolBytes, "bytes");
  }
  if (request.root().size() > kMaxReviewPathBytes) {
    return errors::OverLimit("root", request.root().size(), kMaxReviewPathBytes, "bytes");
  }
  ASSIGN_OR_RETURN(const ImportedText text, ImportedTextOf(request));
  ASSIGN_OR_RETURN(const ImportedFindings imported, yardmaster::ReadFindings(text.content, text.format, text.options));
  response.set_read(static_cast<uint32_t>(imported.findings.size()));
  for (const LeftOut& one : imported.left_out) {
    v1::SkippedReviewCheck& skipped = *response.add_left_out();
    skipped.set_rule_id("*");
    skipped.set_path(one.example);
    skipped.set_reason(absl::StrCat(one.count, " left out: ", one.reason));
  }

  // 2. Kept, whatever becomes of the review.
  v1::Subject subject = request.subject();
  subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  RETURN_IF_ERROR(changes_.reviews->PutImport(subject, absl::AsciiStrToLower(request.head()), ToStored(request)));

  // 3. The review.
  v1::ReviewPullRequestRequest anew;
  *anew.mutable_subject() = subject;
  anew.set_publish(request.publish());
  v1::ReviewPullRequestResponse made;
  RETURN_IF_ERROR(PullRequest(call, anew, made));
  if (absl::EqualsIgnoreCase(made.review().head(), request.head())) {
    *response.mutable_review() = std::move(*made.mutable_review());
  }
  response.set_published(made.published());
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* ReviewServiceImpl::GetReview(grpc::CallbackServerContext* context,
                                                       const v1::GetReviewRequest* request,
                                                       v1::GetReviewResponse* response) {
  return HandlePooledUnary(waiting_calls_, env_, *context, kGetReview,
                           [this, request, response](const RpcCall&) { return Kept(*request, *response); });
}

absl::Status ReviewServiceImpl::Kept(const v1::GetReviewRequest& request, v1::GetReviewResponse& response) const {
  if (changes_.reviews == nullptr) return errors::StoreAbsent();
  if (!request.id().empty()) {
    if (request.has_subject()) return errors::FieldInvalid("subject", "either it or id, not both");
    if (request.id().size() > kMaxNameBytes) return errors::ReviewUnknown(request.id());
    ASSIGN_OR_RETURN(const store::Review stored, changes_.reviews->Get(request.id()));
    ASSIGN_OR_RETURN(*response.mutable_review(), FromStored(stored));
    return absl::OkStatus();
  }
  if (!request.has_subject()) return errors::FieldMissing("id or subject");
  RETURN_IF_ERROR(CheckPull(request.subject()));
  ASSIGN_OR_RETURN(const std::optional<store::Review> stored, changes_.reviews->Latest(request.subject(), ""));
  if (!stored.has_value()) return errors::SubjectWithoutReview(SubjectKey(request.subject()));
  ASSIGN_OR_RETURN(*response.mutable_review(), FromStored(*stored));
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* ReviewServiceImpl::ListReviews(grpc::CallbackServerContext* context,
                                                         const v1::ListReviewsRequest* request,
                                                         v1::ListReviewsResponse* response) {
  return HandlePooledUnary(waiting_calls_, env_, *context, kListReviews,
                           [this, request, response](const RpcCall&) { return List(*request, *response); });
}

absl::Status ReviewServiceImpl::List(const v1::ListReviewsRequest& request, v1::ListReviewsResponse& response) const {
  if (changes_.reviews == nullptr) return errors::StoreAbsent();
  RETURN_IF_ERROR(CheckName("repository", request.repository()));
  if (request.number() < 0) return errors::FieldInvalid("number", "a number from 1, or 0 for all");
  if (request.page_size() > kMaxReviewsOnPage) {
    return errors::OverLimit("page_size", request.page_size(), kMaxReviewsOnPage, "reviews");
  }
  store::PageRequest page;
  page.limit = request.page_size() == 0 ? kReviewsOnPage : request.page_size();
  if (!request.page_token().empty() && (!absl::SimpleAtoi(request.page_token(), &page.before) || page.before <= 0)) {
    return errors::FieldInvalid("page_token", "the next_page_token of an answer");
  }
  ASSIGN_OR_RETURN(const store::Page<store::Review> found,
                   changes_.reviews->List({request.repository(), request.number()}, page));
  for (const store::Review& stored : found.items) {
    ASSIGN_OR_RETURN(*response.add_reviews(), OutlineFromStored(stored));
  }
  if (found.next > 0) response.set_next_page_token(absl::StrCat(found.next));
  return absl::OkStatus();
}

}  // namespace yardmaster
