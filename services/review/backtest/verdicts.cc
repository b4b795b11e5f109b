#include "services/review/backtest/verdicts.h"

#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/json_document.h"
#include "services/core/json_reader.h"
#include "services/core/lines.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxVerdictLineBytes = 64 * 1024;
constexpr size_t kMaxVerdictProblems = 10;

std::optional<Judgement> JudgementFrom(std::string_view name) {
  for (const Judgement one : {Judgement::kTrue, Judgement::kFalse, Judgement::kArguable}) {
    if (JudgementName(one) == name) return one;
  }
  return std::nullopt;
}

bool IsCommitId(std::string_view text) {
  return text.size() == 40 &&
         absl::c_all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

Verdict ReadVerdict(const JsonContext& context) {
  ObjectReader reader(context, {&context.document.value(), ""}, "verdict");
  Verdict verdict;
  verdict.repository = reader.RequiredString("repository").value_or("");
  verdict.commit = reader.RequiredString("commit").value_or("");
  if (!verdict.commit.empty() && !IsCommitId(verdict.commit)) {
    reader.Problem("commit", "expected 40 lower-case hex digits");
  }
  verdict.rule = reader.RequiredString("rule").value_or("");
  verdict.path = reader.RequiredString("path").value_or("");
  verdict.line =
      static_cast<uint32_t>(reader.Integer("line", 1, std::numeric_limits<uint32_t>::max()).value_or(verdict.line));
  if (const std::optional<std::string> name = reader.RequiredString("verdict")) {
    const std::optional<Judgement> judgement = JudgementFrom(*name);
    if (judgement.has_value()) {
      verdict.judgement = *judgement;
    } else {
      reader.Problem("verdict", "expected true, false or arguable");
    }
  }
  verdict.why = reader.RequiredString("why").value_or("");
  reader.Finish();
  return verdict;
}

}  // namespace

std::string_view JudgementName(Judgement judgement) {
  switch (judgement) {
    case Judgement::kTrue:
      return "true";
    case Judgement::kFalse:
      return "false";
    case Judgement::kArguable:
      return "arguable";
  }
  return "";
}

std::optional<std::vector<Verdict>> ReadVerdicts(std::string_view text, const std::string& file, Problems& problems) {
  if (text.size() > kMaxVerdictBytes) {
    problems.push_back({file, "", 0, 0, absl::StrCat("more than ", kMaxVerdictBytes, " bytes, the limit")});
    return std::nullopt;
  }
  const size_t before = problems.size();
  std::vector<Verdict> verdicts;
  std::set<std::tuple<std::string, std::string, std::string, uint32_t>> seen;
  uint32_t number = 0;
  for (const std::string_view line : LinesOf(text)) {
    ++number;
    if (TrimBlanks(line).empty()) continue;
    Problems found;
    const std::optional<JsonDocument> document =
        JsonDocument::Parse(file, line, {.max_bytes = kMaxVerdictLineBytes}, found);
    if (document.has_value()) {
      Verdict verdict = ReadVerdict({*document, found});
      if (found.empty() && !seen.emplace(verdict.commit, verdict.rule, verdict.path, verdict.line).second) {
        found.push_back({file, "", 0, 0, "the same finding was judged in a line above"});
      }
      if (found.empty()) verdicts.push_back(std::move(verdict));
    }
    for (Problem& problem : found) {
      problem.line = number;
      problems.push_back(std::move(problem));
    }
    if (problems.size() - before >= kMaxVerdictProblems) break;
  }
  if (problems.size() > before) return std::nullopt;
  return verdicts;
}

}  // namespace yardmaster
