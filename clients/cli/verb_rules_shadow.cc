// `yard rules shadow report`: what a revision of a pack that runs in the shadow would change.
#include <google/protobuf/util/time_util.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "clients/cli/answer.h"
#include "clients/cli/connection.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "services/core/status_macros.h"
#include "services/triage/decision_json.h"
#include "yardmaster/v1/rules.grpc.pb.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;
using google::protobuf::util::TimeUtil;

// Thousands of runs are summed up.
constexpr std::chrono::seconds kShadowTimeout{120};

struct ShadowOptions {
  std::string repository;
  std::string pack;
  std::string revision;
  int examples = 3;
};

std::string KindName(v1::ShadowDifference::Kind kind) {
  switch (kind) {
    case v1::ShadowDifference::KIND_LABEL:
      return "label";
    case v1::ShadowDifference::KIND_APPLIED:
      return "applied";
    case v1::ShadowDifference::KIND_COMMENT:
      return "comment";
    case v1::ShadowDifference::KIND_FINDING:
      return "finding";
    default:
      return "";
  }
}

std::string VerdictName(v1::ShadowVerdict verdict) {
  if (verdict == v1::SHADOW_VERDICT_SHADOW) return "shadow";
  return verdict == v1::SHADOW_VERDICT_BASE ? "base" : "";
}

Json ExampleJson(const v1::ShadowExample& example) {
  Json json = {{"subject", SubjectReference(example.subject())},
               {"only_in", example.in_shadow() ? "shadow" : "base"},
               {"why", example.why()}};
  if (!example.path().empty()) {
    json["path"] = example.path();
    json["line"] = example.line();
  }
  json["right"] = VerdictName(example.verdict());
  return json;
}

Json TallyJson(const v1::ShadowTally& tally) {
  return Json{{"kind", KindName(tally.kind())},
              {"name", tally.name()},
              {"base", tally.base()},
              {"shadow", tally.shadow()},
              {"added", tally.added()},
              {"removed", tally.removed()},
              {"shadow_right", tally.shadow_right()},
              {"base_right", tally.base_right()},
              {"examples", JsonList(tally.examples(), ExampleJson)}};
}

Json SummaryJson(const v1::ShadowSummary& summary) {
  return Json{{"repository", summary.repository()},
              {"pack", summary.pack()},
              {"base_revision", summary.base_revision()},
              {"shadow_revision", summary.shadow_revision()},
              {"first_at", TimeUtil::ToString(summary.first_at())},
              {"last_at", TimeUtil::ToString(summary.last_at())},
              {"decisions", summary.decisions()},
              {"decisions_changed", summary.decisions_changed()},
              {"reviews", summary.reviews()},
              {"reviews_changed", summary.reviews_changed()},
              {"failed", summary.failed()},
              {"failure", summary.failure()},
              {"unfinished", summary.unfinished()},
              {"unfinished_rules",
               std::vector<std::string>(summary.unfinished_rules().begin(), summary.unfinished_rules().end())},
              {"labels", JsonList(summary.labels(), TallyJson)},
              {"rules", JsonList(summary.rules(), TallyJson)}};
}

Json ReportJson(const v1::ShadowReportResponse& response) {
  return Json{{"summaries", JsonList(response.summaries(), SummaryJson)}};
}

std::string TallyTable(const google::protobuf::RepeatedPtrField<v1::ShadowTally>& tallies, const char* name,
                       const Output& output) {
  if (tallies.empty()) return {};
  Table table;
  table.AlignRight({2, 3, 4, 5});
  table.Header({name, "kind", "added", "removed", "shadow right", "base right"});
  for (const v1::ShadowTally& tally : tallies) {
    const auto number = [](uint32_t count, const char* sign) {
      return count == 0 ? std::string() : absl::StrCat(sign, count);
    };
    table.Row({{Printable(tally.name()), Style::kName},
               KindName(tally.kind()),
               {number(tally.added(), "+"), Style::kGood},
               {number(tally.removed(), "−"), Style::kBad},
               number(tally.shadow_right(), ""),
               number(tally.base_right(), "")});
  }
  return table.Render(0, output.columns(), output.color()) + "\n";
}

std::string ExampleLine(const v1::ShadowTally& tally, const v1::ShadowExample& example, const Output& output) {
  const std::string sign = example.in_shadow() ? "+" : "−";
  std::string line =
      absl::StrCat("  ", output.Paint(Printable(SubjectReference(example.subject())), Style::kName), "  ",
                   output.Paint(sign + Printable(tally.name()), example.in_shadow() ? Style::kGood : Style::kBad));
  if (!example.path().empty()) absl::StrAppend(&line, "  ", Printable(example.path()), ":", example.line());
  absl::StrAppend(&line, "  ", Printable(example.why()));
  const std::string right = VerdictName(example.verdict());
  if (!right.empty()) {
    line += output.Paint(right == "shadow" ? "  (people did as the shadow says)" : "  (people did as it is now)",
                         Style::kStrong);
  }
  return line + "\n";
}

// "3 of 40 issues"; where none of them changed, what that shows. `failed`: of these or others.
std::string ChangedText(uint32_t changed, uint32_t all, uint32_t failed, const char* what) {
  std::string text = absl::StrCat(changed, " of ", all, " ", what);
  // With 95 % confidence, what never happened in n tries happens in at most 3/n of them.
  if (changed == 0 && failed == 0 && all > 3)
    absl::StrAppend(&text, absl::StrFormat(" (at most %.1f %% at 95 %% confidence)", 300.0 / all));
  return text;
}

std::string SummaryText(const v1::ShadowSummary& summary, const Output& output) {
  std::string text =
      absl::StrCat(output.Paint(Printable(summary.repository()), Style::kStrong), "  ", Printable(summary.pack()), "  ",
                   Printable(summary.base_revision()), " → ", Printable(summary.shadow_revision()), "\n",
                   TimeUtil::ToString(summary.first_at()), " to ", TimeUtil::ToString(summary.last_at()), ": ",
                   ChangedText(summary.decisions_changed(), summary.decisions(), summary.failed(), "issues"), " and ",
                   ChangedText(summary.reviews_changed(), summary.reviews(), summary.failed(), "pull requests"),
                   " would come out differently\n");
  if (summary.failed() > 0) {
    absl::StrAppend(&text, output.Paint(absl::StrCat(summary.failed(), " came to no end in the shadow"), Style::kBad),
                    ": ", Printable(summary.failure()), "\n");
  }
  if (summary.unfinished() > 0) {
    absl::StrAppend(&text, summary.unfinished(), summary.unfinished() == 1 ? " review" : " reviews",
                    " are compared without rules that one of both did not finish: ",
                    Printable(absl::StrJoin(summary.unfinished_rules(), ", ")), "\n");
  }
  const std::string labels = TallyTable(summary.labels(), "label", output);
  const std::string rules = TallyTable(summary.rules(), "rule", output);
  if (!labels.empty()) text += "\n" + labels;
  if (!rules.empty()) text += "\n" + rules;
  std::string examples;
  for (const v1::ShadowTally& tally : summary.labels()) {
    for (const v1::ShadowExample& example : tally.examples()) examples += ExampleLine(tally, example, output);
  }
  for (const v1::ShadowTally& tally : summary.rules()) {
    // Those of labels stand there already.
    if (tally.kind() != v1::ShadowDifference::KIND_FINDING) continue;
    for (const v1::ShadowExample& example : tally.examples()) examples += ExampleLine(tally, example, output);
  }
  return examples.empty() ? text : text + "\n" + examples;
}

std::string ReportText(const v1::ShadowReportResponse& response, const Output& output) {
  std::string text;
  for (const v1::ShadowSummary& summary : response.summaries()) {
    if (!text.empty()) text += "\n";
    text += SummaryText(summary, output);
  }
  return text;
}

absl::StatusOr<ExitCode> Report(const ShadowOptions& options, Session& session) {
  v1::ShadowReportRequest request;
  if (!options.repository.empty()) {
    ASSIGN_OR_RETURN(const RepositoryArgument repository, ParseRepository(options.repository));
    request.set_forge(repository.forge);
    request.set_repository(repository.repository);
  }
  request.set_pack(options.pack);
  request.set_shadow_revision(options.revision);
  request.set_examples(static_cast<uint32_t>(options.examples));
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  ASSIGN_OR_RETURN(const v1::ShadowReportResponse response,
                   server.Call(&v1::RulesService::Stub::ShadowReport, request, kShadowTimeout));
  if (response.summaries().empty() && !session.options.json) {
    session.output.Note(
        "Nothing was decided in the shadow yet: name a revision with \"shadow\": \"PACK@PATH\" at the repository in "
        "the "
        "daemon's configuration.");
    return ExitCode::kDone;
  }
  PrintAnswer(response, ReportJson, ReportText, session);
  return ExitCode::kDone;
}

}  // namespace

void AddRulesShadowVerb(Verb& rules) {
  Verb& shadow = rules.Add("shadow", "Look at a revision of a pack that runs beside the one in service",
                           {"yard rules shadow report"});
  Verb& report = shadow.Add(
      "report", "Say by label and rule what the revision in the shadow would change, and who was right",
      {"yard rules shadow report", "yard rules shadow report --repository github:octo/repo --json"},
      "A repository's \"shadow\" in the daemon's configuration names the revision. \"shadow right\" counts differences "
      "where people later put a label on, or took it off, as the shadow says; \"base right\" those where they did as "
      "the revision in service says.");
  ShadowOptions& options = report.Runs(Report);
  report.Value("--repository", &options.repository, "FORGE:OWNER/REPO", "Only this repository (default: all)");
  report.Value("--pack", &options.pack, "PACK", "Only this pack (default: all)");
  report.Value("--revision", &options.revision, "REVISION",
               "An earlier revision of the shadow (default: the one that ran last)");
  report.Value("--examples", &options.examples, "N", "Examples for each label and rule (default: 3)").Between(1, 20);
}

}  // namespace yardmaster::cli
