#include "services/worker/results/run_log.h"

#include <cstdio>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "re2/re2.h"
#include "services/core/absl_view.h"
#include "services/worker/re2_piece.h"

namespace yardmaster::worker {
namespace {

// Longer ones are somebody's output.
constexpr size_t kMaxRunLogLineBytes = 4096;
constexpr double kMicrosInSecond = 1e6;

std::string SecondsText(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f s", seconds);
  return text;
}

std::string EndText(Verdict verdict, double seconds, std::string_view name) {
  return absl::StrCat(Abs(VerdictName(verdict)), " in ", SecondsText(seconds), ": ", Abs(name));
}

bool ReadEnd(const RE2& pattern, std::string_view line, RunLogLine& out) {
  double seconds = 0;
  std::string name;
  if (!RE2::FullMatch(Piece(line), pattern, &out.verdict, &seconds, &name)) return false;
  out.seconds = seconds;
  out.name = std::move(name);
  return true;
}

}  // namespace

std::string LayerBeginsLine(std::string_view layer, size_t number, size_t layers) {
  return absl::StrCat("== ", Abs(layer), " (", number, " of ", layers, ")");
}

std::string StepBeginsLine(std::string_view step) { return absl::StrCat("-- ", Abs(step)); }

std::string ProgressLine(size_t done, size_t failed, size_t expected) {
  std::string line = absl::StrCat(".. ", done);
  if (expected > 0) absl::StrAppend(&line, " of ", expected);
  return absl::StrCat(line, " tests, ", failed, " failed");
}

std::string StepEndsLine(const StepResult& step) {
  return absl::StrCat(
      "-> ",
      EndText(step.verdict, static_cast<double>(step.end_micros - step.begin_micros) / kMicrosInSecond, step.name));
}

std::string LayerEndsLine(const LayerResult& layer) {
  return absl::StrCat("=> ", EndText(layer.verdict, layer.seconds, layer.id), ", ", layer.tests, " tests, ",
                      layer.failed, " failed");
}

RunLogLine ReadRunLogLine(std::string_view line) {
  static const auto* const kLayerBeginsForm = new RE2(R"(== (.+) \((\d{1,9}) of (\d{1,9})\))");
  static const auto* const kProgressForm = new RE2(R"(\.\. (\d{1,9})(?: of (\d{1,9}))? tests, (\d{1,9}) failed)");
  static const auto* const kStepEndsForm = new RE2(R"(-> (\w+) in (\d{1,12}\.\d+) s: (.+))");
  static const auto* const kLayerEndsForm = new RE2(R"(=> (\w+) in (\d{1,12}\.\d+) s: (.+))");
  static const auto* const kCountsForm = new RE2(R"((.+), (\d{1,9}) tests, (\d{1,9}) failed)");
  RunLogLine out;
  if (line.size() < 4 || line.size() > kMaxRunLogLineBytes || line[2] != ' ') return out;
  const re2::StringPiece piece = Piece(line);
  const std::string_view mark = line.substr(0, 2);
  if (mark == "==" && RE2::FullMatch(piece, *kLayerBeginsForm, &out.name, &out.number, &out.of)) {
    out.kind = RunLogLine::Kind::kLayerBegins;
  } else if (mark == "--") {
    out.kind = RunLogLine::Kind::kStepBegins;
    out.name = std::string(line.substr(3));
  } else if (mark == "..") {
    std::string of;
    if (!RE2::FullMatch(piece, *kProgressForm, &out.tests, &of, &out.failed)) return out;
    out.kind = RunLogLine::Kind::kProgress;
    if (!of.empty() && !absl::SimpleAtoi(of, &out.of)) out.of = 0;
  } else if (mark == "->" && ReadEnd(*kStepEndsForm, line, out)) {
    out.kind = RunLogLine::Kind::kStepEnds;
  } else if (mark == "=>" && ReadEnd(*kLayerEndsForm, line, out)) {
    out.kind = RunLogLine::Kind::kLayerEnds;
    const std::string whole = std::exchange(out.name, "");
    if (!RE2::FullMatch(whole, *kCountsForm, &out.name, &out.tests, &out.failed)) out.name = whole;
  }
  return out;
}

}  // namespace yardmaster::worker
