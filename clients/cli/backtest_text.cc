#include "clients/cli/backtest_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/answer.h"
#include "clients/cli/style.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "services/triage/decision_json.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;
using rules::Severity;

// Findings, verdicts and changes are listed up to here; --json has all.
constexpr size_t kMaxListedRows = 30;
constexpr size_t kShortCommit = 10;
constexpr std::array kJudgements = {Judgement::kTrue, Judgement::kFalse, Judgement::kArguable};

size_t CountSilent(const std::vector<ReplayedChange>& changes) {
  return static_cast<size_t>(absl::c_count_if(changes, [](const ReplayedChange& change) { return change.silent(); }));
}

double PerHundred(size_t count, size_t of) {
  return of == 0 ? 0 : 100.0 * static_cast<double>(count) / static_cast<double>(of);
}

Json FindingObject(const FindingAt& at) {
  return {{"commit", at.change->commit}, {"rule", at.finding->rule}, {"severity", SeverityName(at.finding->severity)},
          {"path", at.finding->path},    {"line", at.finding->line}, {"message", at.finding->message}};
}

Json VerdictObject(std::string_view repository, std::string_view commit, std::string_view rule, std::string_view path,
                   uint32_t line, std::string_view judgement, std::string_view why) {
  return {{"repository", repository}, {"commit", commit}, {"rule", rule}, {"path", path}, {"line", line},
          {"verdict", judgement},     {"why", why}};
}

Json VerdictJson(const Verdict* verdict) {
  return VerdictObject(verdict->repository, verdict->commit, verdict->rule, verdict->path, verdict->line,
                       JudgementName(verdict->judgement), verdict->why);
}

Json JudgedJson(const JudgedFindings& judged) {
  Json json = Json::object();
  for (const auto& [severity, counts] : judged.found) {
    Json& of_severity = json[std::string(SeverityName(severity))];
    for (const Judgement one : kJudgements) {
      of_severity[std::string(JudgementName(one))] = counts.by_judgement.at(static_cast<size_t>(one));
    }
  }
  json["lost"] = JsonList(judged.lost, VerdictJson);
  json["elsewhere"] = judged.elsewhere.size();
  json["unjudged"] = judged.unjudged.size();
  return json;
}

// What both runs tell of themselves.
void AddRun(const HistoryRun& run, const std::vector<Verdict>& verdicts, Json& json) {
  json["silent"] = CountSilent(run.changes);
  json["rules"] = JsonList(BaseRates(run.packs, run.changes), [&](const BaseRate& rate) {
    return Json{{"rule", rate.rule},
                {"severity", SeverityName(rate.severity)},
                {"findings", rate.findings},
                {"changes", rate.changes},
                {"ran", rate.ran},
                {"per_100", rate.ran == 0 ? Json() : Json(PerHundred(rate.findings, run.changes.size()))}};
  });
  json["loud"] = Json::array();
  for (const ReplayedChange& change : run.changes) {
    if (change.silent()) continue;
    json["loud"].push_back(Json{{"commit", change.commit},
                                {"title", change.title},
                                {"block", change.Count(Severity::kBlock)},
                                {"major", change.Count(Severity::kMajor)}});
  }
  if (!verdicts.empty()) json["verdicts"] = JudgedJson(Judge(verdicts, run.changes));
}

std::string Short(std::string_view commit) { return std::string(commit.substr(0, kShortCommit)); }

std::string MoreRows(size_t all) {
  return all <= kMaxListedRows ? "" : absl::StrCat("  … and ", all - kMaxListedRows, " more; --json has all\n");
}

// A heading and a table of at most kMaxListedRows rows; nothing without rows.
template <typename Rows, typename AddRow>
std::string Listed(const std::string& heading, const Rows& rows, AddRow add_row, const Output& output) {
  if (rows.empty()) return "";
  Table table;
  for (size_t i = 0; i < std::min(kMaxListedRows, rows.size()); ++i) add_row(table, rows[i]);
  return absl::StrCat(output.Paint(heading, Style::kStrong), "\n", table.Render(2, output.columns(), output.color()),
                      MoreRows(rows.size()), "\n");
}

void AddFinding(Table& table, const FindingAt& at) {
  table.Row({{Short(at.change->commit), Style::kFaint},
             std::string(SeverityName(at.finding->severity)),
             {Printable(at.finding->rule), Style::kName},
             absl::StrCat(Printable(at.finding->path), ":", at.finding->line, "  ", Printable(at.finding->message))});
}

void AddVerdict(Table& table, const Verdict* verdict) {
  table.Row({{Short(verdict->commit), Style::kFaint},
             std::string(JudgementName(verdict->judgement)),
             {Printable(verdict->rule), Style::kName},
             absl::StrCat(Printable(verdict->path), ":", verdict->line, "  ", Printable(verdict->why))});
}

std::string RatesText(const HistoryRun& run, const Output& output) {
  Table table;
  table.AlignRight({2, 3, 4});
  table.Header({"rule", "severity", "findings", "changes", "per 100"});
  size_t quiet = 0;
  size_t unmeasured = 0;
  for (const BaseRate& rate : BaseRates(run.packs, run.changes)) {
    if (rate.findings == 0) {
      ++(rate.ran == 0 ? unmeasured : quiet);
      continue;
    }
    table.Row({{Printable(rate.rule), Style::kName},
               std::string(SeverityName(rate.severity)),
               absl::StrCat(rate.findings),
               absl::StrCat(rate.changes),
               absl::StrFormat("%.1f", PerHundred(rate.findings, run.changes.size()))});
  }
  return (table.empty() ? "" : table.Render(0, output.columns(), output.color()) + "\n") +
         (quiet == 0 ? "" : absl::StrCat(quiet, " rules found nothing\n")) +
         (unmeasured == 0 ? "" : absl::StrCat(unmeasured, " rules could not run on any change: not measured\n"));
}

std::string JudgedText(const JudgedFindings& judged, const Output& output) {
  std::string text;
  for (const auto& [severity, counts] : judged.found) {
    absl::StrAppend(&text, "judged ", std::string(SeverityName(severity)), ":");
    for (const Judgement one : kJudgements) {
      absl::StrAppend(&text, " ", counts.by_judgement.at(static_cast<size_t>(one)), " ",
                      std::string(JudgementName(one)));
    }
    absl::StrAppend(&text, "\n");
  }
  absl::StrAppend(&text, judged.unjudged.size(), " blocking and major findings without a verdict, ",
                  judged.elsewhere.size(), " verdicts about other changes\n");
  return text + Listed("judged, and found no more", judged.lost, AddVerdict, output);
}

std::string RunText(const HistoryRun& run, const std::vector<Verdict>& verdicts, const Output& output) {
  std::string text = RatesText(run, output);
  if (!verdicts.empty()) text += JudgedText(Judge(verdicts, run.changes), output);
  const size_t silent = CountSilent(run.changes);
  return absl::StrCat(text, run.changes.size(), " changes, ", silent,
                      absl::StrFormat(" (%.0f %%)", PerHundred(silent, run.changes.size())),
                      " without a blocking or major finding\n");
}

}  // namespace

Json HistoryBacktestJson(const HistoryBacktest& result) {
  Json json = {{"pack", result.pack}, {"changes", result.base.changes.size()}};
  json["left_out"] = JsonList(result.left_out, [](const HistoryBacktest::LeftOut& one) {
    return Json{{"commit", one.commit}, {"reason", one.reason}};
  });
  AddRun(result.base, result.verdicts, json);
  if (result.candidate.has_value()) {
    Json& candidate = json["candidate"] = Json::object();
    AddRun(*result.candidate, result.verdicts, candidate);
    const FindingDifference difference = Differ(result.base.changes, result.candidate->changes);
    candidate["gained"] = JsonList(difference.gained, FindingObject);
    candidate["lost"] = JsonList(difference.lost, FindingObject);
  }
  return json;
}

std::string HistoryBacktestText(const HistoryBacktest& result, const Output& output) {
  std::string text = RunText(result.base, result.verdicts, output);
  if (result.candidate.has_value()) {
    const FindingDifference difference = Differ(result.base.changes, result.candidate->changes);
    absl::StrAppend(&text, "\n", output.Paint("candidate", Style::kStrong), "\n",
                    RunText(*result.candidate, result.verdicts, output), "\n",
                    Listed(absl::StrCat("gained: ", difference.gained.size()), difference.gained, AddFinding, output),
                    Listed(absl::StrCat("lost: ", difference.lost.size()), difference.lost, AddFinding, output));
  }
  for (const HistoryBacktest::LeftOut& one : result.left_out) {
    absl::StrAppend(&text, "left out: ", Short(one.commit), " ", Printable(one.reason), "\n");
  }
  return text;
}

std::string FindingLine(const FindingAt& at) { return DumpLine(FindingObject(at)); }

std::string VerdictLine(std::string_view repository, const FindingAt& at) {
  return DumpLine(VerdictObject(repository, at.change->commit, at.finding->rule, at.finding->path, at.finding->line, "",
                                at.finding->message));
}

}  // namespace yardmaster::cli
