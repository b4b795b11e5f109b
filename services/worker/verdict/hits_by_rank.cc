#include "services/worker/verdict/hits_by_rank.h"

#include "absl/algorithm/container.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/priorities.h"

namespace yardmaster::worker {
namespace {

// After so many lines that tell of no failure the program has got over an exception.
constexpr int kLinesGotOver = 100;

int Tells(std::string_view text) { return SaysLittle(text) ? 0 : NamesOnlyCode(text) ? 1 : 2; }

// A line that says little gives way to one that says more.
bool Replaces(const LogLine& line, const LogLine& known) {
  const int tells = Tells(line.text);
  const int tells_known = Tells(known.text);
  return tells == tells_known ? Earlier(line, known) : tells > tells_known;
}

}  // namespace

bool Earlier(const LogLine& a, const LogLine& b) {
  return std::pair(a.micros, a.number) < std::pair(b.micros, b.number);
}

// The last of chained exceptions ended the program. Of one that it was raised from, the kind still counts.
void HitsByRank::Forget(int number, Rank& rank, Chain chain) {
  if (rank.exception == 0) return;
  const auto is_last = [&](const auto& entry) {
    return entry.first.second == number && entry.second.line.number == rank.exception;
  };
  rank.from_known = rank.from_known || (chain == Chain::kRaisedFrom && absl::c_any_of(first_, [&](const auto& entry) {
                                          return is_last(entry) && !IsGeneric(*entry.first.first);
                                        }));
  std::erase_if(first_, [&](const auto& entry) {
    return is_last(entry) && (chain != Chain::kRaisedFrom || IsGeneric(*entry.first.first));
  });
}

// A test that passes may print anything about the code. Numbers that differ are looked at by themselves.
void HitsByRank::ForgetPassed(int number, const Rank& rank) {
  std::erase_if(first_, [&](const auto& entry) {
    const rules::FailureSignature& signature = *entry.first.first;
    const bool precision = signature.priority >= kFirstPrecision && signature.priority < kAfterPrecision;
    const bool of_code = signature.cls == rules::FailureClass::kCode || signature.cls == rules::FailureClass::kVictim;
    return entry.first.second == number && entry.second.line.number > rank.test_end && of_code && !precision &&
           signature.priority >= kFirstHostFault;
  });
}

void HitsByRank::GoOn(int number, Rank& rank, bool fails) {
  if (!rank.quiet.has_value()) return;
  if (!fails && ++*rank.quiet < kLinesGotOver) return;
  rank.quiet.reset();
  const auto at = first_.find({exception_, number});
  if (!fails && at != first_.end()) at->second.got_over = true;
}

void HitsByRank::Add(const LogLine& line, std::string_view text, std::vector<const rules::FailureSignature*> matched,
                     bool exception) {
  Rank& rank = ranks_[line.rank];
  const Chain chain = rank.tracebacks.Next(text);
  rank.repeats = rank.repeats || chain == Chain::kRepeated;
  if (chain != Chain::kNone && chain != Chain::kRepeated) Forget(line.rank, rank, chain);
  if (rank.tracebacks.AtException() && !exception) {
    exception = true;
    if (matched.empty() && exception_ != nullptr) matched.push_back(exception_);
  }
  if (rank.versions.Next(text) && versions_ != nullptr) matched.assign(1, versions_);
  const TestEnd end = tests_ ? TestEndOf(text) : TestEnd::kNone;
  if (rank.quiet.has_value()) {
    GoOn(line.rank, rank,
         !matched.empty() || chain != Chain::kNone || end == TestEnd::kOther || CallsItselfError(line.text) ||
             CallsItselfError(text));
  }
  if (exception && std::exchange(rank.repeats, false)) return;
  for (const rules::FailureSignature* signature : matched) {
    if (signature->id == kExceptionId && std::exchange(rank.from_known, false)) continue;
    const auto [at, added] = first_.try_emplace({signature, line.rank}, Signatures::Hit{signature, line});
    const bool later = !added && at->second.got_over;
    if (later) at->second = {signature, line};
    // What pytest repeats of a failed test stands in a list: nothing goes on there.
    if (signature == exception_ && (added || later) && !IsErrorLine(text)) rank.quiet = 0;
    if (!added && Replaces(line, at->second.line)) at->second.line = line;
  }
  if (exception) rank.exception = line.number;
  if (end == TestEnd::kNone) return;
  if (end == TestEnd::kPassed) ForgetPassed(line.rank, rank);
  rank.test_end = line.number;
}

std::vector<Signatures::Hit> HitsByRank::Take() {
  std::vector<Signatures::Hit> hits;
  hits.reserve(first_.size());
  for (auto& [key, hit] : first_) hits.push_back(std::move(hit));
  first_.clear();
  return hits;
}

}  // namespace yardmaster::worker
