#include "clients/cli/review_answer.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "services/review/block_text.h"
#include "services/review/gates.h"
#include "services/review/github_lines.h"
#include "services/review/junit_text.h"
#include "services/review/sarif.h"

namespace yardmaster::cli {
namespace {

rules::Severity FailOn(const ReviewAnswerOptions& options) {
  return SeverityFromName(options.fail_on).value_or(rules::Severity::kBlock);
}

}  // namespace

void AddReviewAnswerOptions(Verb& verb, ReviewAnswerOptions& options) {
  verb.Value("--format", &options.format, "How to answer").OneOf({"text", "json", "sarif", "block", "github", "junit"});
  verb.Value("--lang", &options.language, "Language of text and block").OneOf({"en", "zh"});
  verb.Value("--fail-on", &options.fail_on, "Exit with 1 for findings as bad as this or worse")
      .OneOf({"block", "major", "minor", "info"});
  verb.Flag("--skipped", &options.skipped, "Say in the text which checks were skipped, and why; JSON always does");
}

absl::Status CheckReviewFormat(const ReviewAnswerOptions& options, const Session& session) {
  if (session.options.json && options.format != "text" && options.format != "json") {
    return UsageError("--json is --format json; it does not go with --format " + options.format);
  }
  return absl::OkStatus();
}

void OnlyNew(ReviewReport& report) {
  std::erase_if(report.findings, [](const ReportedFinding& one) {
    return one.status == FindingStatus::kStill || one.status == FindingStatus::kFixed;
  });
}

void PrintReview(const ReviewAnswerOptions& options, const CheckSets& packs, const ReviewReport& report,
                 const SourceOf& source, Session& session) {
  Output& output = session.output;
  const std::string& format = options.format;
  if (session.options.json || format == "json") {
    output.out() << DumpReport(ReportJson(report)) << '\n';
  } else if (format == "sarif") {
    SarifRules rules;
    for (const auto& pack : packs) {
      for (const rules::CheckInfo& check : pack->checks()) rules.emplace(check.rule, &check);
    }
    output.out() << DumpReport(SarifLog(report, rules)) << '\n';
  } else if (format == "block") {
    const rules::CheckSet* pack = packs.empty() ? nullptr : packs.front().get();
    output.out() << BlockText(report, BlockFrameOf(pack, options.text_language()), options.text_language());
  } else if (format == "github") {
    output.out() << GithubLines(report);
  } else if (format == "junit") {
    output.out() << JunitText(report, FailOn(options));
  } else {
    output.out() << ReviewText(report, source,
                               {options.text_language(), output.columns(), output.color(), options.skipped});
  }
  output.out().flush();
}

ExitCode JudgeReview(const ReviewAnswerOptions& options, const ReviewReport& report) {
  const bool closed = report.gate.has_value() && !report.gate->open;
  return closed || report.Reaches(FailOn(options)) ? ExitCode::kNegative : ExitCode::kDone;
}

}  // namespace yardmaster::cli
