#include <re2/re2.h>
#include <re2/set.h>

#include <array>
#include <mutex>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/re2_piece.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/hits_by_rank.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/line_prefix.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {
namespace {

// What the automaton of one phase may take, in bytes. Beyond it RE2 gives up on a line, which is then matched pattern
// by pattern: slower, and never "no match".
constexpr int64_t kSetMemory = 32 << 20;
constexpr int64_t kPatternMemory = 4 << 20;
// Of a line so much is looked at: errors stand at its beginning, and lines without end come from binary output.
constexpr size_t kMaxMatchedBytes = 16 * 1024;

constexpr std::array<std::string_view, 3> kPhases = {kFetchLayer, kBuildLayer, "test"};
constexpr size_t kTests = 2;  // index of the last one

RE2::Options Options(int64_t memory) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(false);
  options.set_max_mem(memory);
  // Output is in no particular encoding.
  options.set_encoding(RE2::Options::EncodingLatin1);
  return options;
}

std::string Alternation(const std::vector<std::string>& patterns) {
  std::string text;
  for (const std::string& pattern : patterns) text += (text.empty() ? "(?:" : "|(?:") + pattern + ")";
  return text;
}

class CompiledSignatures final : public Signatures {
 public:
  static std::shared_ptr<const Signatures> Create(std::vector<rules::FailureSignature> signatures, std::string& error) {
    auto compiled = std::shared_ptr<CompiledSignatures>(new CompiledSignatures());
    compiled->signatures_ = std::move(signatures);
    absl::c_stable_sort(compiled->signatures_, [](const auto& a, const auto& b) { return a.priority < b.priority; });
    if (!compiled->Compile(error)) return nullptr;
    return compiled;
  }

  std::vector<Hit> FindByRank(LogReader& log, std::string_view phase) const override {
    HitsByRank hits_by_rank(Find(kExceptionId), Find(kPackageVersionsId), /*tests=*/PhaseIndex(phase) == kTests);
    // A damaged log is read up to the damage: what it shows until then still counts.
    (void)log.Read(1, log.lines(), [&](const LogLine& line) {
      std::string buffer;
      const std::string_view text = Text(line.text, buffer);
      bool exception = false;
      std::vector<const rules::FailureSignature*> matched = MatchText(text, phase, exception);
      hits_by_rank.Add(line, text, std::move(matched), exception);
      return true;
    });
    std::vector<Hit> hits = hits_by_rank.Take();
    Sort(hits);
    return hits;
  }

  std::vector<const rules::FailureSignature*> Match(std::string_view line, std::string_view phase) const override {
    std::string buffer;
    bool exception = false;
    return MatchText(Text(line, buffer), phase, exception);
  }

  const rules::FailureSignature* Reason(std::string_view line, std::string_view phase) const override {
    std::string escapes;
    std::string quoted;
    const std::string_view shown = Text(line, escapes);
    const std::string_view text = Matched(shown, BehindFailedTest(shown), quoted);
    for (size_t i = 0; i < signatures_.size(); ++i) {
      if (!signatures_[i].reason_only || !IsOf(signatures_[i], PhaseIndex(phase))) continue;
      if (RE2::PartialMatch(Piece(text), *patterns_[i])) return &signatures_[i];
    }
    return nullptr;
  }

  size_t Place(const rules::FailureSignature& signature, std::string_view line) const override {
    const rules::FailureSignature* known = Find(signature.id);
    if (known == nullptr) return 0;
    const std::string_view matched = WithoutPrefix(line.substr(0, kMaxMatchedBytes));
    re2::StringPiece text;
    const RE2& pattern = *patterns_[static_cast<size_t>(known - signatures_.data())];
    if (!pattern.Match(Piece(matched), 0, matched.size(), RE2::UNANCHORED, &text, 1)) return 0;
    return static_cast<size_t>(text.data() - line.data());
  }

  const rules::FailureSignature* DeviceFatal(std::string_view line) const override {
    if (fatal_ == nullptr) return nullptr;
    line = line.substr(0, kMaxMatchedBytes);
    if (!RE2::PartialMatch(Piece(line), *fatal_)) return nullptr;
    for (size_t i = 0; i < signatures_.size(); ++i) {
      if (signatures_[i].device_fatal && RE2::PartialMatch(Piece(line), *patterns_[i])) return &signatures_[i];
    }
    return nullptr;
  }

 private:
  struct PhaseSet {
    std::once_flag once;
    std::unique_ptr<RE2::Set> set;  // null: not compiled
    std::vector<size_t> members;    // index in the set → signature
  };

  CompiledSignatures() = default;

  // What of a line is looked at. `buffer` holds it where it had escape sequences.
  static std::string_view Text(std::string_view line, std::string& buffer) {
    return WithoutPrefix(WithoutEscapes(line.substr(0, kMaxMatchedBytes), buffer));
  }

  // Without the name of a test in front of it, and without the data that an assertion quotes; then `buffer` holds it.
  // `listed`: what stands behind the test's name where the line is one of a list of those that failed.
  static std::string_view Matched(std::string_view line, std::string_view listed, std::string& buffer) {
    return WithoutQuotedData(listed.empty() ? BehindTestName(line) : listed, buffer);
  }

  static bool IsOf(const rules::FailureSignature& signature, size_t phase) {
    return signature.phase.empty() || signature.phase == kPhases[phase];
  }

  // Null: there is none of that name.
  const rules::FailureSignature* Find(std::string_view id) const {
    const auto at = absl::c_find_if(signatures_, [&](const auto& known) { return known.id == id; });
    return at == signatures_.end() ? nullptr : &*at;
  }

  // `exception`: the line is the last of a traceback, whatever else it is known by.
  std::vector<const rules::FailureSignature*> MatchText(std::string_view line, std::string_view phase,
                                                        bool& exception) const {
    std::string buffer;
    const std::string_view listed = BehindFailedTest(line);
    line = Matched(line, listed, buffer);
    std::vector<const rules::FailureSignature*> matched;
    const PhaseSet& set = SetOf(phase);
    std::vector<int> found;
    RE2::Set::ErrorInfo info{};
    if (set.set != nullptr && set.set->Match(Piece(line), &found, &info)) {
      // The order of a set's answer is not defined; that of the signatures is by priority.
      absl::c_sort(found);
      for (const int index : found) matched.push_back(&signatures_[set.members[static_cast<size_t>(index)]]);
    } else if (set.set == nullptr || info.kind != RE2::Set::kNoError) {
      for (const size_t member : set.members) {
        if (RE2::PartialMatch(Piece(line), *patterns_[member])) matched.push_back(&signatures_[member]);
      }
    }
    // What a list repeats is no further exception, but it may be all that is left of one of a known kind.
    if (!listed.empty()) std::erase_if(matched, [](const auto* s) { return IsGeneric(*s); });
    exception = absl::c_any_of(matched, [](const auto* s) { return s->id == kExceptionId; });
    // "RuntimeError: Connection closed by peer": the rest of the line says more than that it is an exception.
    const bool specific =
        absl::c_any_of(matched, [](const auto* s) { return !IsGeneric(*s) && !IsEcho(*s) && !IsAdvice(*s); });
    if (specific) std::erase_if(matched, [](const auto* s) { return IsGeneric(*s); });
    const bool wrapper = absl::c_any_of(matched, [](const auto* s) { return IsWrapper(*s); });
    if (wrapper) std::erase_if(matched, [](const auto* s) { return IsGeneric(*s) && !IsWrapper(*s); });
    return matched;
  }

  // Unknown phases are tests.
  static size_t PhaseIndex(std::string_view phase) {
    const auto at = absl::c_find(kPhases, phase);
    return at == kPhases.end() ? kTests : static_cast<size_t>(at - kPhases.begin());
  }

  static void Sort(std::vector<Hit>& hits) {
    absl::c_sort(hits, [](const Hit& a, const Hit& b) {
      if (a.signature->priority != b.signature->priority) return a.signature->priority < b.signature->priority;
      return Earlier(a.line, b.line);
    });
  }

  bool Compile(std::string& error) {
    std::vector<std::string> fatal;
    for (const rules::FailureSignature& signature : signatures_) {
      std::string text = Alternation(signature.patterns);
      patterns_.push_back(std::make_unique<RE2>(text, Options(kPatternMemory)));
      if (!patterns_.back()->ok()) {
        error = "failure signature '" + signature.id + "': " + patterns_.back()->error();
        return false;
      }
      if (signature.device_fatal) fatal.push_back(std::move(text));
    }
    if (!fatal.empty()) {
      fatal_ = std::make_unique<RE2>(Alternation(fatal), Options(kSetMemory));
      if (!fatal_->ok()) {
        error = "failure signatures of devices: " + fatal_->error();
        return false;
      }
    }
    for (size_t phase = 0; phase < kPhases.size(); ++phase) {
      for (size_t i = 0; i < signatures_.size(); ++i) {
        if (signatures_[i].reason_only || !IsOf(signatures_[i], phase)) continue;
        sets_[phase].members.push_back(i);
      }
    }
    return true;
  }

  // The set of a phase is compiled when a log of it is searched for the first time: a run in which all goes well needs
  // none. One that can't be compiled is left out, and its patterns are tried one by one.
  const PhaseSet& SetOf(std::string_view phase) const {
    PhaseSet& set = sets_[PhaseIndex(phase)];
    std::call_once(set.once, [&] {
      auto compiled = std::make_unique<RE2::Set>(Options(kSetMemory), RE2::UNANCHORED);
      std::string error;
      for (const size_t member : set.members) {
        if (compiled->Add(patterns_[member]->pattern(), &error) < 0) return;
      }
      if (compiled->Compile()) set.set = std::move(compiled);
    });
    return set;
  }

  std::vector<rules::FailureSignature> signatures_;    // by priority; never changed once compiled: hits point into it
  std::vector<std::unique_ptr<RE2>> patterns_;         // of each
  mutable std::array<PhaseSet, kPhases.size()> sets_;  // each written once, under its flag
  std::unique_ptr<RE2> fatal_;                         // all device-fatal patterns; null: there are none
};

}  // namespace

std::shared_ptr<const Signatures> CompileSignatures(std::vector<rules::FailureSignature> signatures,
                                                    std::string& error) {
  for (rules::FailureSignature& builtin : BuiltinSignatures()) {
    const bool replaced =
        absl::c_any_of(signatures, [&](const rules::FailureSignature& own) { return own.id == builtin.id; });
    if (!replaced) signatures.push_back(std::move(builtin));
  }
  return CompiledSignatures::Create(std::move(signatures), error);
}

}  // namespace yardmaster::worker
