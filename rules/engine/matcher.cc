#include "rules/engine/matcher.h"

#include <re2/set.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/pack/pack_reader.h"
#include "rules/engine/text/name_places.h"

namespace yardmaster::rules {
namespace {

// How far before a match a negation may stand, in bytes: "is not caused by", "without using any", "没有使用".
constexpr size_t kNegationWindow = 80;

// Literals that a pattern needs are looked for from this size on; a single character is in nearly every text.
constexpr int kShortestAtom = 2;

// Memory for the question which patterns match the empty text.
constexpr int64_t kSetMemory = 24 << 20;

RE2::Options PatternOptions(int64_t memory) {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(memory);
  return options;
}

// Names the pattern because of which the whole of a signal is refused.
void Explain(const SignalModel& signal, const std::string& whole, Problems& problems) {
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
    const RE2 all(whole, PatternOptions(Matcher::kPatternMemory));
    problems.push_back(ProblemAt(signal.origin, "signal '" + signal.id + "' can't be compiled: " + all.error()));
  }
}

// The scanner folds the case of ASCII only. Letters of other scripts that have case lie below U+2E80, but for a few
// that nobody looks for; Chinese has none.
bool ScannerFoldsAll(std::string_view atom) {
  return absl::c_none_of(atom,
                         [](char c) { return static_cast<uint8_t>(c) >= 0xC2 && static_cast<uint8_t>(c) < 0xE3; });
}

// Adds literals of which each text that the pattern matches has one at least. False: it can do without any.
bool AddNeeded(const re2::FilteredRE2& pattern, std::vector<std::string> atoms, std::vector<SignalLiteral>& needed) {
  std::vector<int> without;
  std::vector<int> passed;
  pattern.AllPotentials(without, &passed);
  if (!passed.empty() || !absl::c_all_of(atoms, ScannerFoldsAll)) return false;
  // Where several must be there together one of them will do. Short ones are common, so that they go first.
  std::vector<int> by_size(atoms.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  absl::c_stable_sort(by_size, [&](int a, int b) {
    return atoms[static_cast<size_t>(a)].size() < atoms[static_cast<size_t>(b)].size();
  });
  for (const int atom : by_size) {
    without.push_back(atom);
    pattern.AllPotentials(without, &passed);
    if (passed.empty()) continue;
    without.pop_back();
    needed.push_back({{std::move(atoms[static_cast<size_t>(atom)]), true, false, false}, {}});
  }
  return true;
}

// Asks for all patterns at once which of them match the empty text: each by itself would make an automaton to answer,
// and keep it.
void RefuseEmptyMatches(const std::vector<SignalModel>& signals,
                        const std::vector<std::unique_ptr<re2::FilteredRE2>>& patterns, Problems& problems) {
  RE2::Set set(PatternOptions(kSetMemory), RE2::UNANCHORED);
  std::vector<uint32_t> signal_of;
  for (uint32_t s = 0; s < patterns.size(); ++s) {
    if (patterns[s] != nullptr && set.Add(patterns[s]->GetRE2(0).pattern(), nullptr) >= 0) signal_of.push_back(s);
  }
  if (signal_of.empty()) return;
  std::vector<int> empty;
  RE2::Set::ErrorInfo info{};
  if (!set.Compile() || (!set.Match("", &empty, &info) && info.kind != RE2::Set::kNoError)) {
    problems.push_back(
        Problem{{}, {}, 0, 0, "the patterns need more memory than a set may take; expected fewer or simpler ones"});
  }
  for (const int index : empty) {
    const uint32_t signal = signal_of[static_cast<size_t>(index)];
    Explain(signals[signal], patterns[signal]->GetRE2(0).pattern(), problems);
  }
}

}  // namespace

// Where a literal of a signal matches.
struct Matcher::Place {
  uint32_t signal = 0;
  uint32_t order = 0;
  size_t begin = 0;
  size_t end = 0;
};

// The places of one signal in one zone that do not overlap: those of its literals from left to right, then those of its
// pattern, which is searched for only if no literal will do.
class Matcher::ZoneSearch {
 public:
  ZoneSearch(std::string_view text, const Place* first, const Place* last, const RE2* pattern)
      : text_(text), place_(first), last_(last), pattern_(pattern) {}

  std::optional<std::pair<size_t, size_t>> Next() {
    while (place_ != last_) {
      const Place& place = *place_++;
      if (place.begin < literals_end_) continue;
      literals_end_ = place.end;
      return {{place.begin, place.end}};
    }
    re2::StringPiece found;
    if (pattern_ == nullptr || pattern_end_ > text_.size() ||
        !pattern_->Match(text_, pattern_end_, text_.size(), RE2::UNANCHORED, &found, 1)) {
      return std::nullopt;
    }
    const auto begin = static_cast<size_t>(found.data() - text_.data());
    pattern_end_ = begin + std::max<size_t>(found.size(), 1);
    return {{begin, begin + found.size()}};
  }

 private:
  re2::StringPiece text_;
  const Place* place_;
  const Place* last_;
  const RE2* pattern_;
  size_t literals_end_ = 0;
  size_t pattern_end_ = 0;
};

std::unique_ptr<Matcher> Matcher::Create(const std::vector<SignalModel>& signals,
                                         const std::vector<std::string>& negations, Problems& problems) {
  std::unique_ptr<Matcher> matcher(new Matcher());
  const size_t before = problems.size();

  std::vector<Literal> literals;
  matcher->patterns_.resize(signals.size());
  for (uint32_t s = 0; s < signals.size(); ++s) {
    ZoneMask zones = 0;
    for (size_t zone = 0; zone < kZoneCount; ++zone) {
      if (!signals[s].when.has_value() && signals[s].zones[zone] > 0) zones |= MaskOf(static_cast<Zone>(zone));
    }
    matcher->negatable_.push_back(signals[s].negatable);
    matcher->zones_.push_back(zones);
    matcher->searched_zones_ |= zones;
    SignalForms forms = FormsOf(signals[s]);
    uint32_t order = 0;
    for (SignalLiteral& literal : forms.literals) {
      if (literal.first.text.empty()) {
        problems.push_back(ProblemAt(
            signals[s].origin, "signal '" + signals[s].id + "' has an empty word; expected at least one character"));
        continue;
      }
      const bool is_name = literal.first.text.find_first_of("/.") == std::string::npos;
      matcher->forms_.push_back({s, order++, false, is_name, literal.first.text.size(), std::move(literal.rest)});
      literals.push_back(std::move(literal.first));
    }
    if (!forms.pattern.empty() || !forms.import_pattern.empty()) {
      matcher->AddPattern(s, signals[s], std::move(forms), literals, problems);
    }
  }
  RefuseEmptyMatches(signals, matcher->patterns_, problems);
  matcher->scanner_ = std::make_unique<const LiteralScanner>(std::move(literals));

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
  if (problems.size() != before) return nullptr;
  return matcher;
}

void Matcher::AddPattern(uint32_t signal, const SignalModel& model, SignalForms forms, std::vector<Literal>& literals,
                         Problems& problems) {
  const bool both = !forms.import_pattern.empty() && !forms.pattern.empty();
  const std::string whole = forms.import_pattern + (both ? "|" : "") + forms.pattern;
  auto compiled = std::make_unique<re2::FilteredRE2>(kShortestAtom);
  int id = 0;
  if (compiled->Add(whole, PatternOptions(kPatternMemory), &id) != RE2::NoError) {
    Explain(model, whole, problems);
    return;
  }
  std::vector<SignalLiteral> needed = std::move(forms.imported);
  std::vector<std::string> atoms;
  compiled->Compile(&atoms);
  bool filtered = true;
  if (both) {
    re2::FilteredRE2 own(kShortestAtom);
    filtered = own.Add(forms.pattern, PatternOptions(kPatternMemory), &id) == RE2::NoError;
    if (filtered) {
      own.Compile(&atoms);
      filtered = AddNeeded(own, std::move(atoms), needed);
    }
  } else if (!forms.pattern.empty()) {
    filtered = AddNeeded(*compiled, std::move(atoms), needed);
  }
  if (!filtered) {
    if (zones_[signal] != 0) unfiltered_.push_back(signal);
  } else {
    for (SignalLiteral& literal : needed) {
      forms_.push_back({signal, 0, true, false, literal.first.text.size(), std::move(literal.rest)});
      literals.push_back(std::move(literal.first));
    }
  }
  patterns_[signal] = std::move(compiled);
}

bool Matcher::Negated(std::string_view text, size_t begin, size_t match) const {
  const size_t from = match - begin > kNegationWindow ? match - kNegationWindow : begin;
  return RE2::PartialMatch(text.substr(from, match - from), *negation_);
}

void Matcher::Match(const std::vector<ZonedText>& texts, std::vector<SignalHit>& hits) const {
  // Which zones of which signal already have a hit: points count once a zone.
  std::vector<ZoneMask> seen(patterns_.size(), 0);
  std::vector<bool> search(patterns_.size(), false);  // whose pattern is worth searching for in this zone
  std::vector<Place> places;
  std::vector<uint32_t> worth;
  for (const ZonedText& text : texts) {
    for (const ZoneSpan& span : text.zones) {
      const ZoneMask zone = MaskOf(span.zone);
      if ((searched_zones_ & zone) == 0 || span.begin >= span.end) continue;
      const std::string_view part = text.text.substr(span.begin, span.end - span.begin);
      const auto is_open = [&](uint32_t signal) { return (zones_[signal] & ~seen[signal] & zone) != 0; };
      // The paths of a trace are its frames, and frames tell what fails.
      const bool in_code = span.zone == Zone::kCode;
      const bool in_trace = span.zone == Zone::kTrace;
      places.clear();
      worth.clear();
      const auto search_for = [&](uint32_t signal) {
        if (search[signal]) return;
        search[signal] = true;
        worth.push_back(signal);
      };
      scanner_->Scan(part, [&](uint32_t literal, size_t begin) {
        const Form& form = forms_[literal];
        if (!is_open(form.signal)) return;
        const size_t end = EndOf(form.rest, part, begin + form.size);
        if (end == std::string_view::npos) return;
        if (form.needed_by_pattern) return search_for(form.signal);
        if (form.is_name && !in_trace && (IsInPath(part, begin, end) || (in_code && IsInBuildCommand(part, begin))))
          return;
        places.push_back({form.signal, form.order, begin, end});
      });
      for (const uint32_t signal : unfiltered_) {
        if (is_open(signal)) search_for(signal);
      }
      absl::c_sort(places, [](const Place& a, const Place& b) {
        return std::tie(a.signal, a.begin, a.order) < std::tie(b.signal, b.begin, b.order);
      });
      absl::c_sort(worth);

      const Place* place = places.data();
      const Place* const last = place + places.size();
      auto pattern = worth.begin();
      while (place != last || pattern != worth.end()) {
        const uint32_t signal =
            pattern == worth.end() || (place != last && place->signal < *pattern) ? place->signal : *pattern;
        const Place* const first = place;
        while (place != last && place->signal == signal) ++place;
        const RE2* searched = nullptr;
        if (pattern != worth.end() && *pattern == signal) {
          searched = &patterns_[signal]->GetRE2(0);
          search[signal] = false;
          ++pattern;
        }
        // The first place that is not negated.
        ZoneSearch found(part, first, place, searched);
        const bool may_be_negated = negation_ != nullptr && negatable_[signal] && HasSentences(span.zone);
        while (const auto next = found.Next()) {
          const size_t begin = span.begin + next->first;
          if (may_be_negated && Negated(text.text, span.begin, begin)) continue;
          seen[signal] |= zone;
          hits.push_back({signal, span.zone, text.source, text.comment_index, begin, span.begin + next->second});
          break;
        }
      }
    }
  }
}

}  // namespace yardmaster::rules
