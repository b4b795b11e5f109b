#include "services/worker/verdict/cause.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "services/worker/logs/escape_sequences.h"
#include "services/worker/text.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/line_prefix.h"

namespace yardmaster::worker {
namespace {

// Lines of other ranks stand between those of one: so many are read on each side to find enough of the same.
constexpr uint64_t kReadAround = 2000;
// What is searched for in a log is cut to this: the rest of a long message may be broken into lines otherwise.
constexpr size_t kMaxSearchedBytes = 100;

// A compiler explains below the error; everything else says above it how it came.
size_t LinesBefore(std::string_view signature) { return signature == kCompileId ? 2 : 8; }

std::vector<LogLine> Around(LogReader& log, const LogLine& shown, size_t before) {
  const uint64_t first = shown.number > kReadAround ? shown.number - kReadAround : 1;
  std::vector<LogLine> lines;
  size_t at = 0;
  (void)log.Read(first, 2 * kReadAround, [&](const LogLine& line) {
    if (line.rank != shown.rank) return true;
    if (line.number <= shown.number) at = lines.size();
    lines.push_back(line);
    return line.number <= shown.number || lines.size() < at + kMaxExcerptLines;
  });
  if (lines.empty()) return {shown};
  const size_t begin = at > before ? at - before : 0;
  const size_t end = std::min(lines.size(), begin + kMaxExcerptLines);
  return {lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::optional<LogLine> SearchLine(LogReader& log, std::string_view text, int rank) {
  text = text.substr(0, kMaxSearchedBytes);
  // "…" of a cut text is not in the log.
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80U) != 0) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  const absl::StatusOr<std::vector<LogLine>> found =
      log.Search(RE2::QuoteMeta({text.data(), text.size()}), 1, rank == kNoRank ? kAllRanks : rank);
  if (!found.ok() || found->empty()) return std::nullopt;
  return found->front();
}

// Where the worker can't tell the processes apart, what they put in front of their lines may.
int RankOf(const StepEvidence& evidence, const Finding& finding) {
  const bool nobody = finding.cls == rules::FailureClass::kVictim || finding.signature == kHangId;
  if (finding.rank != kNoRank || !finding.line.has_value() || nobody) return finding.rank;
  std::string buffer;
  const int rank = RankInPrefix(WithoutEscapes(finding.line->text, buffer)).value_or(kNoRank);
  return evidence.expected_ranks == 0 || rank < evidence.expected_ranks ? rank : kNoRank;
}

// "AssertionError: rank one is wrong" stands in the log as "E   AssertionError: …", and "assert 1 == 2" without the
// name of its error.
std::optional<LogLine> FindLine(LogReader& log, const Finding& finding) {
  if (finding.line.has_value()) return finding.line;
  std::optional<LogLine> line = SearchLine(log, finding.search, finding.rank);
  const size_t colon = finding.search.find(": ");
  if (!line.has_value() && colon != std::string::npos) {
    line = SearchLine(log, std::string_view(finding.search).substr(colon + 2), finding.rank);
  }
  if (!line.has_value()) {
    const size_t name = finding.test.rfind("::");
    line =
        SearchLine(log, std::string_view(finding.test).substr(name == std::string::npos ? 0 : name + 2), finding.rank);
  }
  return line;
}

}  // namespace

Cause MakeCause(const StepContext& context, const Finding& finding, const std::vector<RankView>& views) {
  const StepEvidence& evidence = *context.evidence;
  Cause cause;
  cause.cls = finding.cls;
  cause.signature = finding.signature;
  cause.rank = RankOf(evidence, finding);
  cause.message = cause.rank == kNoRank ? finding.what : Concat("rank ", cause.rank, ": ", finding.what);
  cause.advice = finding.advice;
  cause.step = evidence.name;
  cause.test = finding.test;
  cause.log = evidence.log_path;
  for (const RankView& view : views) {
    if (view.victim) cause.victims.push_back(view.rank);
  }
  if (evidence.log == nullptr) return cause;

  const std::optional<LogLine> line = FindLine(*evidence.log, finding);
  if (line.has_value()) {
    cause.line = line->number;
    cause.excerpt = Around(*evidence.log, *line, LinesBefore(finding.signature));
    return cause;
  }
  absl::StatusOr<std::vector<LogLine>> tail =
      evidence.log->Tail(kMaxExcerptLines, finding.rank == kNoRank ? kAllRanks : finding.rank);
  if (tail.ok()) cause.excerpt = *std::move(tail);
  return cause;
}

}  // namespace yardmaster::worker
