#include "services/worker/verdict/hits_by_rank.h"

#include <re2/re2.h>

#include <algorithm>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/re2_piece.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/line_prefix.h"
#include "services/worker/verdict/priorities.h"

namespace yardmaster::worker {
namespace {

// After so many lines that tell of no failure the program has got over an exception.
constexpr int kLinesGotOver = 100;

// A message that begins with a heading has paragraphs.
constexpr uint64_t kLinesOfHeadedMessage = 40;

bool IsNoCause(const rules::FailureSignature* signature) { return IsEcho(*signature) || IsAdvice(*signature); }

// What an exception says may have several lines; here something else begins: what a logger writes, the next traceback.
bool BeginsEntry(std::string_view line) {
  static const RE2 kEntry(
      R"((?:^|\]:)\s*\[?[IWEF](?:(?:20\d\d)?\d{3,4})? \S+[:\]]|^(?:INFO|WARNING|ERROR|CRITICAL)\b|(?:Traceback|Thread \S+) \(most recent call)",
      RE2::Latin1);
  return RE2::PartialMatch(Piece(line), kEntry);
}

// What CMake only warns of stands further in, below its word for it: a package that is not there, and not needed.
bool IsWarnedOf(std::string_view text, std::optional<size_t>& warning) {
  const std::string_view trimmed = TrimBlanks(text);
  if (trimmed.starts_with("CMake Warning") || trimmed.starts_with("CMake Deprecation Warning")) {
    warning = IndentOf(text);
  } else if (!trimmed.empty() && warning.has_value() && IndentOf(text) <= *warning) {
    warning.reset();
  }
  return warning.has_value();
}

bool IsOfPrecision(const rules::FailureSignature& signature) {
  return signature.priority >= kFirstPrecision && signature.priority < kAfterPrecision;
}

}  // namespace

bool Earlier(const LogLine& a, const LogLine& b) {
  return std::pair(a.micros, a.number) < std::pair(b.micros, b.number);
}

HitsByRank::Output& HitsByRank::OutputOf(Rank& rank, std::string_view line, std::string_view text) {
  // Of a longer line, less is looked at than it has; what stands in front is short.
  constexpr size_t kMaxPrefix = 200;
  if (line.size() > text.size()) {
    std::string buffer;
    const std::string_view plain = WithoutEscapes(line.substr(0, text.size() + kMaxPrefix), buffer);
    const size_t size = plain.size() - std::min(plain.size(), text.size());
    if (const std::string_view process = ProcessInPrefix(plain.substr(0, size)); !process.empty()) rank.last = process;
  }
  return rank.outputs[rank.last];
}

// The last of chained exceptions ended the program. Of one that it was raised from, the kind still counts; so does that
// of one that it came from while it was handled, if the infrastructure was in the way.
void HitsByRank::Forget(int number, Output& output, Chain chain) {
  if (output.exception == 0) return;
  const auto is_last = [&](const auto& entry) {
    return entry.first.second == number && entry.second.hit.line.number == output.exception;
  };
  const auto counts = [&](const rules::FailureSignature& signature) {
    if (IsGeneric(signature)) return false;
    return chain == Chain::kRaisedFrom ||
           (chain == Chain::kHandled && signature.cls == rules::FailureClass::kInfrastructure);
  };
  output.from_known = output.from_known || absl::c_any_of(found_, [&](const auto& entry) {
                        return is_last(entry) && counts(*entry.first.first);
                      });
  std::erase_if(found_, [&](const auto& entry) { return is_last(entry) && !counts(*entry.first.first); });
}

// A test that passes may print anything about the code. Numbers that differ are looked at by themselves.
void HitsByRank::ForgetPassed(int number, const Rank& rank) {
  std::erase_if(found_, [&](const auto& entry) {
    const rules::FailureSignature& signature = *entry.first.first;
    const bool precision = IsOfPrecision(signature);
    const bool of_code = signature.cls == rules::FailureClass::kCode || signature.cls == rules::FailureClass::kVictim;
    return entry.first.second == number && entry.second.hit.line.number > rank.test_end && of_code && !precision &&
           signature.priority >= kFirstHostFault;
  });
}

void HitsByRank::GoOn(int number, Output& output, std::string_view text, bool fails) {
  if (!output.quiet.has_value()) return;
  const bool goes_on = SaysItGoesOn(text);
  if (!fails && !goes_on && ++*output.quiet < kLinesGotOver) return;
  output.quiet.reset();
  const auto at = found_.find({exception_, number});
  const bool its_own = at != found_.end() && at->second.hit.line.number == output.exception;
  if ((goes_on || !fails) && its_own) at->second.hit.got_over = true;
}

void HitsByRank::FollowLogger(int number, Output& output, std::string_view line) {
  const LogLevel level = LevelOf(line);
  const bool below = std::exchange(output.entry_of_failure, level == LogLevel::kFailure);
  if (line.starts_with("Traceback (most recent call last)")) output.in_logged = below;
  if (level != LogLevel::kInfo || !output.logged) return;
  const auto at = found_.find({exception_, number});
  if (at != found_.end() && at->second.hit.line.number == output.exception) at->second.went_on = true;
}

void HitsByRank::Add(const LogLine& line, std::string_view text, std::vector<const rules::FailureSignature*> matched,
                     bool exception) {
  Rank& rank = ranks_[line.rank];
  Output& output = OutputOf(rank, line.text, text);
  const Chain chain = output.tracebacks.Next(text);
  FollowLogger(line.rank, output, line.text);
  if (IsErrorLine(text) && ShowsDifference(text.substr(1))) matched.clear();
  if (output.tracebacks.AtSource() || IsWarnedOf(text, output.warning) || ExcusesTest(text)) matched.clear();
  // pytest repeats it in its list of failed tests.
  if (output.of_exit_codes && !BehindFailedTest(text).empty()) {
    std::erase_if(matched, [](const auto* known) { return IsOfPrecision(*known); });
  }
  // A program may go on without what it warns of; a full disk or a lost device comes back.
  if (IsWarnedByPython(text)) {
    std::erase_if(matched, [](const auto* known) { return known->cls != rules::FailureClass::kInfrastructure; });
  }
  output.repeats = output.repeats || chain == Chain::kRepeated;
  if (chain != Chain::kNone && chain != Chain::kRepeated) Forget(line.rank, output, chain);
  if (output.tracebacks.AtException() && !exception) {
    exception = true;
    if (absl::c_all_of(matched, IsNoCause) && exception_ != nullptr) matched.push_back(exception_);
  }
  if (output.versions.Next(text) && versions_ != nullptr &&
      absl::c_all_of(matched, [](const auto* signature) { return IsGeneric(*signature) || IsNoCause(signature); })) {
    matched.assign(1, versions_);
  }
  const TestEnd end = tests_ ? TestEndOf(text) : TestEnd::kNone;
  const Telling telling = matched.empty() && !output.quiet.has_value() ? Telling::kNothing
                          : output.tracebacks.Aside()                  ? Telling::kAside
                                                                       : TellingOf(line.text, matched);
  if (output.quiet.has_value()) {
    GoOn(line.rank, output, text,
         !matched.empty() || chain != Chain::kNone || end == TestEnd::kOther || TellsOfFailure(telling));
  }
  // A blank line ends it, too, but shortly below a heading.
  const bool blank =
      !SaysAnything(text) && !(output.heading && line.number <= output.exception + kLinesOfHeadedMessage);
  if (exception || blank || BeginsEntry(line.text)) output.in_message = false;
  if (exception && std::exchange(output.repeats, false)) return;
  for (const rules::FailureSignature* signature : matched) {
    if (IsNoCause(signature)) continue;
    if (signature->id == kExceptionId && std::exchange(output.from_known, false)) continue;
    Found next{{signature, line}, telling};
    // What is only logged, or comes from what is left over, has not ended the program.
    next.hit.got_over = signature == exception_ && telling == Telling::kAside;
    if (output.in_message) next.hit.said_in = output.exception;
    // The exit codes of programs were compared, and no numbers of the code.
    if (output.in_message && IsWrapper(*signature)) {
      output.of_exit_codes = std::erase_if(found_, [&](const auto& entry) {
                               return entry.first.second == line.rank &&
                                      entry.second.hit.line.number == output.exception &&
                                      IsOfPrecision(*entry.first.first);
                             }) > 0;
    }
    // pytest shows below what was compared that it is another program's exit code.
    if (const auto compared = found_.find({exception_, line.rank});
        output.in_message && IsErrorLine(text) && IsWrapper(*signature) && compared != found_.end() &&
        compared->second.hit.line.number == output.exception) {
      next.hit = {signature, compared->second.hit.line};
      found_.erase(compared);
    }
    const auto [at, added] = found_.try_emplace({signature, line.rank}, next);
    Found& known = at->second;
    const bool later = !added && (known.hit.got_over || known.went_on) && !next.hit.got_over;
    const bool tells_more =
        !added && (next.telling == known.telling ? Earlier(line, known.hit.line) : next.telling > known.telling);
    if (later || tells_more) known = next;
    // What pytest repeats of a failed test stands in a list: nothing goes on there.
    if (signature == exception_ && (added || later || tells_more) && !IsErrorLine(text)) output.quiet = 0;
  }
  if (exception) {
    output.exception = line.number;
    output.logged = std::exchange(output.in_logged, false);
    output.in_message = true;
    output.heading = TrimBlanks(text).ends_with(':') ||
                     absl::c_any_of(matched, [](const auto* signature) { return IsOfPrecision(*signature); });
  }
  if (end == TestEnd::kNone) return;
  if (end == TestEnd::kPassed) ForgetPassed(line.rank, rank);
  rank.test_end = line.number;
}

std::vector<Signatures::Hit> HitsByRank::Take() {
  std::vector<Signatures::Hit> hits;
  hits.reserve(found_.size());
  for (auto& [key, found] : found_) hits.push_back(std::move(found.hit));
  found_.clear();
  return hits;
}

}  // namespace yardmaster::worker
