#include "rules/engine/matcher.h"

#include "absl/algorithm/container.h"
#include "rules/engine/pack/pack_reader.h"
#include "rules/engine/signal_pattern.h"

namespace yardmaster::rules {
namespace {

// How far before a match a negation may stand, in bytes: "is not caused by", "without using any", "没有使用".
constexpr size_t kNegationWindow = 40;

RE2::Options PatternOptions(int64_t memory) {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(memory);
  return options;
}

// Zones in which people write sentences: only there can a negation precede a match.
bool HasSentences(Zone zone) { return zone == Zone::kTitle || zone == Zone::kProse || zone == Zone::kHeading; }

// Names the pattern because of which the whole of a signal is refused.
void Explain(const SignalModel& signal, const RE2& whole, Problems& problems) {
  const size_t before = problems.size();
  for (size_t i = 0; i < signal.patterns.size(); ++i) {
    const RE2 single(signal.patterns[i], PatternOptions(Matcher::kPatternMemory));
    Origin origin = signal.origin;
    origin.pointer += "/patterns/" + std::to_string(i);
    if (!single.ok()) {
      problems.push_back(ProblemAt(origin, "bad pattern: " + single.error() + "; expected RE2 syntax"));
    } else if (RE2::FullMatch("", single)) {
      problems.push_back(
          ProblemAt(origin, "the pattern matches the empty text; expected one that needs at least one character"));
    }
  }
  if (problems.size() == before) {
    problems.push_back(ProblemAt(signal.origin, "signal '" + signal.id + "' can't be compiled: " + whole.error()));
  }
}

}  // namespace

std::unique_ptr<Matcher> Matcher::Create(const std::vector<SignalModel>& signals,
                                         const std::vector<std::string>& negations, Problems& problems) {
  std::unique_ptr<Matcher> matcher(new Matcher());
  const size_t before = problems.size();

  // One pattern for each signal. What its author wrote is looked at piece by piece only if the whole is refused.
  for (const SignalModel& signal : signals) {
    matcher->negatable_.push_back(signal.negatable);
    const std::string text = SignalPattern(signal);
    if (text.empty()) {
      matcher->patterns_.push_back(nullptr);
      continue;
    }
    auto pattern = std::make_unique<RE2>(text, PatternOptions(kPatternMemory));
    if (!pattern->ok()) Explain(signal, *pattern, problems);
    matcher->patterns_.push_back(std::move(pattern));
  }

  std::string negation;
  for (const std::string& text : negations) {
    const RE2 single(text, PatternOptions(kPatternMemory));
    if (!single.ok()) {
      problems.push_back(Problem{{}, "/negations", 0, 0, "bad negation '" + text + "': " + single.error()});
    }
    negation += (negation.empty() ? "(?:" : "|(?:") + text + ")";
  }
  if (!negation.empty() && problems.size() == before) {
    matcher->negation_ = std::make_unique<RE2>("(?:" + negation + ")\\z", PatternOptions(kPatternMemory));
  }

  // One set for all zones: its automaton stays warm whatever is scanned. Which signals look where is asked afterwards.
  matcher->set_ = std::make_unique<RE2::Set>(PatternOptions(kSetMemory), RE2::UNANCHORED);
  for (uint32_t s = 0; s < signals.size(); ++s) {
    ZoneMask zones = 0;
    for (size_t zone = 0; zone < kZoneCount; ++zone) {
      if (matcher->patterns_[s] != nullptr && signals[s].zones[zone] > 0) zones |= MaskOf(static_cast<Zone>(zone));
    }
    matcher->zones_.push_back(zones);
    matcher->searched_zones_ |= zones;
    if (matcher->patterns_[s] == nullptr || !matcher->patterns_[s]->ok()) continue;
    if (zones == 0) {
      if (RE2::FullMatch("", *matcher->patterns_[s])) Explain(signals[s], *matcher->patterns_[s], problems);
      continue;
    }
    std::string error;
    if (matcher->set_->Add(matcher->patterns_[s]->pattern(), &error) < 0) {
      problems.push_back(
          ProblemAt(signals[s].origin, "signal '" + signals[s].id + "' can't be added to a set: " + error));
    }
    matcher->signals_.push_back(s);
  }
  if (!matcher->signals_.empty()) {
    // The set is asked which of them match the empty text: each pattern by itself would make an automaton to answer,
    // and keep it, which all together took more than the patterns.
    std::vector<int> empty;
    RE2::Set::ErrorInfo info{};
    if (!matcher->set_->Compile() || (!matcher->set_->Match("", &empty, &info) && info.kind != RE2::Set::kNoError)) {
      problems.push_back(
          Problem{{}, {}, 0, 0, "the patterns need more memory than a set may take; expected fewer or simpler ones"});
    }
    for (const int index : empty) {
      const uint32_t signal = matcher->signals_[static_cast<size_t>(index)];
      Explain(signals[signal], *matcher->patterns_[signal], problems);
    }
  }
  if (problems.size() != before) return nullptr;
  return matcher;
}

bool Matcher::Negated(std::string_view text, size_t begin, size_t match) const {
  const size_t from = match - begin > kNegationWindow ? match - kNegationWindow : begin;
  return RE2::PartialMatch(text.substr(from, match - from), *negation_);
}

bool Matcher::Match(const std::vector<ZonedText>& texts, std::vector<SignalHit>& hits, std::string& error) const {
  // Which zones of which signal already have a hit: points count once a zone.
  std::vector<ZoneMask> seen(patterns_.size(), 0);
  std::vector<int> found;
  for (const ZonedText& text : texts) {
    for (const ZoneSpan& span : text.zones) {
      const ZoneMask zone = MaskOf(span.zone);
      if ((searched_zones_ & zone) == 0 || span.begin >= span.end) continue;
      const re2::StringPiece part(text.text.substr(span.begin, span.end - span.begin));
      found.clear();
      RE2::Set::ErrorInfo info{};
      if (!set_->Match(part, &found, &info)) {
        if (info.kind == RE2::Set::kNoError) continue;
        error = "the pattern set failed on zone '" + std::string(ZoneName(span.zone)) + "' (" +
                (info.kind == RE2::Set::kOutOfMemory ? "out of its memory budget" : "not usable") + ")";
        return false;
      }
      absl::c_sort(found);  // the order of a set's answer is not defined
      for (const int index : found) {
        const uint32_t signal = signals_[static_cast<size_t>(index)];
        if ((zones_[signal] & zone) == 0 || (seen[signal] & zone) != 0) continue;
        // The first place that is not negated.
        size_t at = 0;
        re2::StringPiece where;
        while (at <= part.size() && patterns_[signal]->Match(part, at, part.size(), RE2::UNANCHORED, &where, 1)) {
          const size_t begin = span.begin + static_cast<size_t>(where.data() - part.data());
          const size_t end = begin + where.size();
          if (negation_ != nullptr && negatable_[signal] && HasSentences(span.zone) &&
              Negated(text.text, span.begin, begin)) {
            at = end - span.begin + (where.empty() ? 1 : 0);
            continue;
          }
          seen[signal] |= zone;
          hits.push_back({signal, span.zone, text.source, text.comment_index, begin, end});
          break;
        }
      }
    }
  }
  return true;
}

}  // namespace yardmaster::rules
