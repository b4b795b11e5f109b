#include "services/review/gates.h"

#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/sha256.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/review/block_text.h"
#include "services/review/operator_files.h"

namespace yardmaster {
namespace {

rules::Finding GateFinding(const GateRequest& request, std::string message) {
  rules::Finding finding;
  finding.rule_id = std::string(kGateRule);
  finding.severity = rules::Severity::kBlock;
  finding.pack_severity = "BLOCK";
  finding.path = request.folder;
  finding.message = std::move(message);
  finding.fingerprint = ShortDigest(finding.rule_id + "\n" + request.gate + "\n" + finding.path);
  return finding;
}

// Which checks of the gate held. Those that were skipped wherever they were asked are no part of it.
void FillChecklist(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs, const GateRequest& request,
                   ReviewReport& report) {
  std::set<std::string_view> broken;
  std::set<std::pair<std::string_view, std::string_view>> skipped;
  for (const ReportedFinding& reported : report.findings) broken.insert(reported.finding.rule_id);
  for (const rules::SkippedCheck& skip : report.skipped) skipped.emplace(skip.rule_id, skip.part);
  std::set<std::string> listed;
  for (const auto& pack : packs) {
    for (const rules::CheckInfo& check : pack->checks()) {
      if (!TakesPart(check, report.profile, request.stage, request.gate)) continue;
      const bool failed = broken.count(check.rule) > 0;
      if (!failed && skipped.contains({check.rule, check.part})) continue;
      if (listed.insert(check.rule).second) report.checklist.push_back({check.rule, check.title, !failed, {}});
    }
  }
}

}  // namespace

std::optional<int> StageOfOperator(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                                   const std::vector<ReviewInput>& inputs, const ReadInput& read) {
  for (const auto& pack : packs) {
    if (pack->List("stage_pointer") == nullptr) continue;
    const std::vector<std::string>* roles = pack->List("stage_roles");
    const RoleTable table(*pack);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const FileRole role = table.Match(NameOf(inputs[i].path));
      if (roles == nullptr || !absl::c_linear_search(*roles, role.role)) continue;
      std::string error;
      const std::optional<std::string> text = read(i, error);
      if (!text.has_value()) continue;
      if (const std::optional<int> stage = StageInState(*pack, *text); stage.has_value()) return stage;
    }
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<rules::Finding>> CheckFrozen(
    const std::vector<std::shared_ptr<const rules::CheckSet>>& packs, const std::vector<ReviewInput>& inputs,
    const ReadInput& read, const std::string& profile, OperatorState& state) {
  const bool known = absl::c_any_of(packs, [](const auto& pack) {
    return absl::c_any_of(pack->moments(), [](const rules::MomentInfo& moment) { return moment.id == kFrozenMoment; });
  });
  if (!known) return std::vector<rules::Finding>();
  RunOptions options;
  options.profile = profile;
  options.moment = std::string(kFrozenMoment);
  options.named_moment_only = true;
  // Everything is judged: a file that nobody edited now may have been changed before.
  std::vector<ReviewInput> all = inputs;
  for (ReviewInput& input : all) input.context = false;
  ASSIGN_OR_RETURN(const ReviewReport named, RunReview(packs, all, read, options));
  std::map<std::string_view, size_t> index;
  for (size_t i = 0; i < inputs.size(); ++i) index.emplace(inputs[i].path, i);
  std::vector<FrozenFile> frozen;
  std::set<std::string_view> seen;
  for (const ReportedFinding& reported : named.findings) {
    if (!seen.insert(reported.finding.path).second) continue;
    FrozenFile& file = frozen.emplace_back();
    file.finding = reported.finding;
    const auto it = index.find(reported.finding.path);
    std::string error;
    if (it == index.end()) continue;
    if (const std::optional<std::string> text = read(it->second, error); text.has_value())
      file.digest = Sha256Hex(*text);
  }
  return RecordFrozen(state, frozen);
}

absl::StatusOr<ReviewReport> RunGate(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                                     const std::vector<ReviewInput>& inputs, const ReadInput& read,
                                     const GateRequest& asked, OperatorState& state) {
  GateRequest request = asked;
  if (!request.stage.has_value()) request.stage = StageOfOperator(packs, inputs, read);
  RunOptions options;
  options.profile = request.profile;
  options.stage = request.stage;
  options.moment = request.gate;
  options.jobs = request.jobs;
  options.options = request.options;
  if (!request.phase.empty()) options.options["phase"] = request.phase;
  absl::StatusOr<ReviewReport> report = RunReview(packs, inputs, read, options);
  if (!report.ok()) return report;

  ASSIGN_OR_RETURN(std::vector<rules::Finding> changed, CheckFrozen(packs, inputs, read, request.profile, state));
  for (rules::Finding& finding : changed) report->findings.push_back({std::move(finding)});
  FillChecklist(packs, request, *report);
  if (report->files == 0) {
    report->findings.push_back({GateFinding(request, "the gate has no file to judge")});
  } else if (report->checklist.empty()) {
    report->findings.push_back({GateFinding(
        request, "no check of this gate could be judged: it stays closed until the files that it is about are there")});
  }
  SortFindings(report->findings);
  const bool open =
      absl::c_none_of(report->findings, [](const ReportedFinding& reported) { return IsBlocking(reported.finding); });
  report->gate = GateAnswer{request.gate, open, request.stage, request.phase};
  return report;
}

}  // namespace yardmaster
