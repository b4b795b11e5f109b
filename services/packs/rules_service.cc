#include "services/packs/rules_service.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/decision.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/core/repository_name.h"
#include "services/core/rpc/pooled_rpc.h"
#include "services/core/status_macros.h"
#include "services/packs/answers.h"
#include "services/packs/backtest.h"
#include "services/packs/label_check.h"
#include "services/packs/pack_test.h"
#include "services/packs/people_labels.h"
#include "services/packs/shadow_report.h"
#include "services/packs/validate.h"

namespace yardmaster {
namespace {

constexpr std::string_view kListPacks = "/yardmaster.v1.RulesService/ListPacks";
constexpr std::string_view kShowRule = "/yardmaster.v1.RulesService/ShowRule";
constexpr std::string_view kValidatePack = "/yardmaster.v1.RulesService/ValidatePack";
constexpr std::string_view kReloadPacks = "/yardmaster.v1.RulesService/ReloadPacks";
constexpr std::string_view kTestPack = "/yardmaster.v1.RulesService/TestPack";
constexpr std::string_view kShadowReport = "/yardmaster.v1.RulesService/ShadowReport";
constexpr uint32_t kUsualExamples = 3;
constexpr std::string_view kBacktest = "/yardmaster.v1.RulesService/Backtest";

void DescribeAll(const PackSet& packs, google::protobuf::RepeatedPtrField<v1::PackInfo>& out) {
  for (const auto& [name, pack] : packs.packs()) *out.Add() = DescribePack(*pack);
}

InlineFiles FilesOf(const google::protobuf::RepeatedPtrField<v1::PackFile>& files) {
  InlineFiles out;
  for (const v1::PackFile& file : files) out.emplace_back(file.path(), file.content());
  return out;
}

}  // namespace

grpc::ServerUnaryReactor* RulesServiceImpl::ListPacks(grpc::CallbackServerContext* context, const v1::ListPacksRequest*,
                                                      v1::ListPacksResponse* response) {
  return HandleUnary(env_, *context, kListPacks, [&](const RpcCall&) {
    DescribeAll(*packs_.Current(), *response->mutable_packs());
    WriteProblems(packs_.LastReloadProblems(), *response->mutable_last_reload_problems());
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* RulesServiceImpl::ShowRule(grpc::CallbackServerContext* context,
                                                     const v1::ShowRuleRequest* request,
                                                     v1::ShowRuleResponse* response) {
  return HandlePooledUnary(long_calls_, env_, *context, kShowRule, [this, request, response](const RpcCall& call) {
    return yardmaster::ShowRule(*packs_.Current(), request->id(), request->pack(), *response,
                                [&call] { return call.CheckAlive(); });
  });
}

grpc::ServerUnaryReactor* RulesServiceImpl::ValidatePack(grpc::CallbackServerContext* context,
                                                         const v1::ValidatePackRequest* request,
                                                         v1::ValidatePackResponse* response) {
  const bool asks_forge = labels_ != nullptr && !request->forge().empty();
  return HandlePooledUnary(
      asks_forge ? waiting_calls_ : long_calls_, env_, *context, kValidatePack,
      [this, request, response](const RpcCall& call) { return Validate(call, *request, *response); });
}

absl::Status RulesServiceImpl::Validate(const RpcCall& call, const v1::ValidatePackRequest& request,
                                        v1::ValidatePackResponse& response) const {
  for (const std::string* name : {&request.pack(), &request.forge(), &request.repository()}) {
    if (name->size() > kMaxNameBytes) return errors::OverLimit("a name", name->size(), kMaxNameBytes, "bytes");
  }
  // 1. The repository, and the pack that the configuration gives it.
  std::string name = request.pack();
  if (request.forge().empty() != request.repository().empty()) return errors::FieldMissing("forge and repository");
  if (!request.forge().empty()) {
    if (labels_ == nullptr) return errors::ForgeNotConfigured(request.forge());
    const bool any_repository = RoleSuffices(call.caller().role, Role::kOperator);
    ASSIGN_OR_RETURN(const std::string usual,
                     labels_->DefaultPack(request.forge(), request.repository(), any_repository));
    if (name.empty()) name = usual;
    if (name.empty()) return errors::RepositoryNotConfigured(QualifiedName(request.forge(), request.repository()));
  }
  if (name.empty()) return errors::FieldMissing("pack");

  // 2. The pack.
  PacksFolder folder = ReadPacksFolder(packs_.packs_dir());
  if (request.files_size() > 0) {
    RETURN_IF_ERROR(ReplacePack(name, FilesOf(request.files()), folder));
  }
  Problems problems;
  const std::shared_ptr<const rules::CompiledPack> pack = BuildPack(folder, name, problems);
  response.set_pack(name);
  response.set_valid(pack != nullptr);
  WriteProblems(problems, *response.mutable_problems());
  if (pack != nullptr) WriteProblems(PackWarnings(folder, *pack), *response.mutable_warnings());

  // 3. Its labels. Those of a bad pack are not known.
  if (request.forge().empty() || pack == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const RepositoryLabels labels, labels_->Read(request.forge(), request.repository()));
  v1::LabelCheck& check = *response.mutable_labels();
  check.set_forge(request.forge());
  check.set_repository(request.repository());
  CheckLabels(pack->model(), labels, check);
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* RulesServiceImpl::ReloadPacks(grpc::CallbackServerContext* context,
                                                        const v1::ReloadPacksRequest*,
                                                        v1::ReloadPacksResponse* response) {
  return HandlePooledUnary(long_calls_, env_, *context, kReloadPacks, [this, response](const RpcCall&) {
    const Problems problems = packs_.Reload();
    response->set_reloaded(problems.empty());
    WriteProblems(problems, *response->mutable_problems());
    DescribeAll(*packs_.Current(), *response->mutable_packs());
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* RulesServiceImpl::TestPack(grpc::CallbackServerContext* context,
                                                     const v1::TestPackRequest* request,
                                                     v1::TestPackResponse* response) {
  return HandlePooledUnary(long_calls_, env_, *context, kTestPack,
                           [this, request, response](const RpcCall& call) { return Test(call, *request, *response); });
}

absl::Status RulesServiceImpl::Test(const RpcCall& call, const v1::TestPackRequest& request,
                                    v1::TestPackResponse& response) const {
  const std::shared_ptr<const PackSet> set = packs_.Current();
  std::vector<std::shared_ptr<const rules::CompiledPack>> chosen;
  for (const std::string& name : request.packs()) {
    ASSIGN_OR_RETURN(std::shared_ptr<const rules::CompiledPack> pack, FindPack(*set, name));
    chosen.push_back(std::move(pack));
    if (chosen.size() > set->packs().size()) return errors::FieldInvalid("packs", "every pack once");
  }
  if (chosen.empty()) {
    for (const auto& [name, pack] : set->packs()) chosen.push_back(pack);
  }
  std::vector<std::shared_ptr<const rules::CheckSet>> all_checks;
  for (const auto& [name, pack] : set->packs()) {
    if (auto checks = set->FindChecks(name)) all_checks.push_back(std::move(checks));
  }
  for (const std::shared_ptr<const rules::CompiledPack>& pack : chosen) {
    ASSIGN_OR_RETURN(PackTest result, yardmaster::TestPack(*pack, [&call] { return call.CheckAlive(); }));
    if (const auto checks = set->FindChecks(pack->model().name)) TestChecks(*checks, all_checks, result);
    if (const auto phrases = set->FindPhrases(pack->model().name)) TestPhrases(*phrases, result);
    if (const auto pipeline = set->FindPipeline(pack->model().name)) TestPipeline(*pipeline, result);
    WritePackTest(result, response);
  }
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* RulesServiceImpl::Backtest(grpc::CallbackServerContext* context,
                                                     const v1::BacktestRequest* request,
                                                     v1::BacktestResponse* response) {
  return HandlePooledUnary(long_calls_, env_, *context, kBacktest, [this, request, response](const RpcCall& call) {
    return Compare(call, *request, *response);
  });
}

grpc::ServerUnaryReactor* RulesServiceImpl::ShadowReport(grpc::CallbackServerContext* context,
                                                         const v1::ShadowReportRequest* request,
                                                         v1::ShadowReportResponse* response) {
  return HandlePooledUnary(
      waiting_calls_, env_, *context, kShadowReport,
      [this, request, response](const RpcCall& call) { return SumUpShadows(call, *request, *response); });
}

absl::Status RulesServiceImpl::SumUpShadows(const RpcCall& call, const v1::ShadowReportRequest& request,
                                            v1::ShadowReportResponse& response) const {
  if (store_ == nullptr) return errors::StoreAbsent();
  if (request.forge().empty() != request.repository().empty()) return errors::FieldMissing("forge and repository");
  for (const std::string* name :
       {&request.forge(), &request.repository(), &request.pack(), &request.shadow_revision()}) {
    if (name->size() > kMaxNameBytes) return errors::OverLimit("a name", name->size(), kMaxNameBytes, "bytes");
  }
  if (request.examples() > kMaxShadowExamples) {
    return errors::OverLimit("examples", request.examples(), kMaxShadowExamples, "examples");
  }
  store::ShadowFilter filter;
  if (!request.forge().empty()) filter.repository = QualifiedName(request.forge(), request.repository());
  filter.pack = request.pack();
  filter.shadow_revision = request.shadow_revision();

  PeopleLabels people(*store_);
  yardmaster::ShadowReport report(
      request.examples() == 0 ? kUsualExamples : request.examples(),
      [&people](const v1::ShadowRun& run, const std::string& label) { return people.Wanted(run, label); });
  size_t runs = 0;
  absl::Status alive;
  RETURN_IF_ERROR(store_->shadows().ForEach(filter, [&](const std::string& record) {
    v1::ShadowRun run;
    if (run.ParseFromString(record)) report.Add(run);
    alive = call.CheckAlive();
    return alive.ok() && ++runs < kMaxShadowRuns;
  }));
  RETURN_IF_ERROR(alive);
  report.Write(response);
  return absl::OkStatus();
}

absl::Status RulesServiceImpl::Compare(const RpcCall& call, const v1::BacktestRequest& request,
                                       v1::BacktestResponse& response) const {
  ASSIGN_OR_RETURN(const std::shared_ptr<const rules::CompiledPack> base, FindPack(*packs_.Current(), request.pack()));
  const auto count = static_cast<size_t>(request.cases_size());
  if (count > kMaxBacktestCases) return errors::OverLimit("cases", count, kMaxBacktestCases, "cases");
  for (size_t i = 0; i < count; ++i) {
    const absl::Status status = CheckIssueSize(request.cases(static_cast<int>(i)));
    if (!status.ok()) return errors::CaseFailed(i, status);
  }

  // The candidate: the files that came, or the folder as it is now.
  PacksFolder folder = ReadPacksFolder(packs_.packs_dir());
  if (request.candidate_size() > 0) {
    RETURN_IF_ERROR(ReplacePack(request.pack(), FilesOf(request.candidate()), folder));
  }
  Problems problems;
  const std::shared_ptr<const rules::CompiledPack> candidate = BuildPack(folder, request.pack(), problems);
  if (candidate == nullptr) return errors::PackInvalid(request.pack(), ProblemLines(problems));

  ASSIGN_OR_RETURN(const BacktestResult result,
                   RunBacktest(
                       *base, *candidate, count, [&](size_t i) { return TextOf(request.cases(static_cast<int>(i))); },
                       [&call] { return call.CheckAlive(); }));
  response.set_base_revision(base->model().revision);
  response.set_candidate_revision(candidate->model().revision);
  WriteBacktest(result, response);
  for (v1::IssueDifference& issue : *response.mutable_issues()) {
    *issue.mutable_subject() = request.cases(static_cast<int>(issue.index())).subject();
  }
  return absl::OkStatus();
}

}  // namespace yardmaster
