#include "rules/engine/matcher.h"

#include <re2/set.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/pack/pack_reader.h"
#include "rules/engine/text/alternatives.h"
#include "rules/engine/text/name_places.h"
#include "rules/engine/text/needed_literals.h"
#include "rules/engine/text/spelled_out.h"

namespace yardmaster::rules {
namespace {

// How far before a match a negation may stand, in bytes: "is not caused by", "without using any", "没有使用".
constexpr size_t kNegationWindow = 80;

// A pattern is tried in no more places than this by itself: one pass over the zone is never much slower than so many
// tries, however far each of them has to read.
constexpr size_t kMostTries = 8;

// Room for what a zone of usual size holds.
constexpr size_t kPlacesAtFirst = 128;

// Memory for the question which patterns match the empty text.
constexpr int64_t kSetMemory = 24 << 20;

RE2::Options PatternOptions(int64_t memory) {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(memory);
  return options;
}

// Says which patterns of a signal RE2 refuses, and which match the empty text.
void Explain(const SignalModel& signal, Problems& problems) {
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
    problems.push_back(ProblemAt(signal.origin, "signal '" + signal.id + "' can't be compiled"));
  }
}

// Marks the signals of which a pattern matches the empty text. Asks for all patterns at once: each by itself would make
// an automaton to answer, and keep it.
void MarkEmptyMatches(const std::vector<SignalModel>& signals, std::vector<bool>& refused, Problems& problems) {
  RE2::Set set(PatternOptions(kSetMemory), RE2::UNANCHORED);
  std::vector<size_t> signal_of;
  for (size_t s = 0; s < signals.size(); ++s) {
    for (const std::string& pattern : signals[s].patterns) {
      if (set.Add(pattern, nullptr) >= 0) signal_of.push_back(s);
    }
  }
  if (signal_of.empty()) return;
  std::vector<int> empty;
  RE2::Set::ErrorInfo info{};
  if (!set.Compile() || (!set.Match("", &empty, &info) && info.kind != RE2::Set::kNoError)) {
    problems.push_back(
        Problem{{}, {}, 0, 0, "the patterns need more memory than a set may take; expected fewer or simpler ones"});
  }
  for (const int index : empty) refused[signal_of[static_cast<size_t>(index)]] = true;
}

}  // namespace

// Where a literal of a signal matches.
struct Matcher::Place {
  uint32_t signal = 0;
  bool spelled = false;
  uint32_t order = 0;
  size_t begin = 0;
  size_t end = 0;
};

// Where a pattern may match.
struct Matcher::Beginning {
  uint32_t pattern = 0;
  uint32_t at = 0;
};

// The forms of all signals while they are put together.
class Matcher::Forms {
 public:
  void Add(SignalLiteral literal, Form form) { added_.push_back({std::move(literal), form}); }

  // Gives them to `matcher`, with a scanner that looks once for what several of them look for.
  void MoveTo(Matcher& matcher) {
    const auto key = [](const Added& one) {
      const Literal& literal = one.literal.first;
      return std::tie(literal.text, literal.fold_case, literal.starts_at_word, literal.ends_at_word);
    };
    absl::c_stable_sort(added_, [&](const Added& a, const Added& b) { return key(a) < key(b); });
    std::vector<Literal> literals;
    matcher.rests_.resize(1);
    for (size_t i = 0; i < added_.size(); ++i) {
      auto& [literal, form] = added_[i];
      if (i == 0 || key(added_[i - 1]) != key(added_[i])) {
        matcher.first_form_.push_back(static_cast<uint32_t>(i));
        matcher.only_needed_.push_back(true);
        literals.push_back(literal.first);
      }
      if (!literal.rest.words.empty()) {
        form.rest = static_cast<uint32_t>(matcher.rests_.size());
        form.then = FirstByteOf(literal.rest);
        matcher.rests_.push_back(std::move(literal.rest));
      }
      if (form.group == 0 || form.rest != 0 || form.begins) matcher.only_needed_.back() = false;
      matcher.forms_.push_back(form);
    }
    matcher.first_form_.push_back(static_cast<uint32_t>(added_.size()));
    matcher.scanner_ = std::make_unique<const LiteralScanner>(std::move(literals));
  }

 private:
  struct Added {
    SignalLiteral literal;
    Form form;
  };
  std::vector<Added> added_;
};

// The places of one signal in one zone that do not overlap: those of its words from left to right, then those of its
// patterns, which are looked at only if no word will do. Where several patterns match the first one wins that matches
// furthest to the left, as in one alternation of all of them.
class Matcher::ZoneSearch {
 public:
  // `words` and `spelled`: places in the order of what begins first and wins.
  ZoneSearch(std::string_view text, std::span<const Place> words, std::span<const Place> spelled)
      : text_(text), words_(words), spelled_(spelled) {}

  // `beginnings`: where it may match, in order, if that is known.
  void AddPattern(const Pattern& pattern, std::span<const Beginning> beginnings) {
    patterns_.push_back({&pattern, pattern.has_beginnings && beginnings.size() <= kMostTries, beginnings, {}});
  }

  std::optional<std::pair<size_t, size_t>> Next() {
    while (!words_.empty()) {
      const Place& place = words_.front();
      words_ = words_.subspan(1);
      if (place.begin < words_end_) continue;
      words_end_ = place.end;
      return {{place.begin, place.end}};
    }
    while (!spelled_.empty() && spelled_.front().begin < pattern_end_) spelled_ = spelled_.subspan(1);
    Place first = {.begin = std::string_view::npos};
    if (!spelled_.empty()) first = spelled_.front();
    for (Searched& one : patterns_) {
      if (one.pattern == nullptr || !Find(one)) continue;
      const auto begin = static_cast<size_t>(one.found.data() - text_.data());
      if (begin > first.begin || (begin == first.begin && one.pattern->order > first.order)) continue;
      first = {.order = one.pattern->order, .begin = begin, .end = begin + one.found.size()};
    }
    if (first.begin == std::string_view::npos) return std::nullopt;
    pattern_end_ = std::max(first.end, first.begin + 1);
    return {{first.begin, first.end}};
  }

 private:
  struct Searched {
    const Pattern* pattern = nullptr;  // null: there is no other place
    bool tried = false;                // where its matches may begin, and nowhere else
    std::span<const Beginning> beginnings;
    re2::StringPiece found;
  };

  bool Find(Searched& one) const {
    // What lies further on was the next place before and still is.
    if (one.found.data() != nullptr && one.found.data() >= text_.data() + pattern_end_) return true;
    if (one.tried) {
      while (!one.beginnings.empty()) {
        const size_t at = one.beginnings.front().at;
        one.beginnings = one.beginnings.subspan(1);
        if (at >= pattern_end_ &&
            one.pattern->compiled->GetRE2(0).Match(text_, at, text_.size(), RE2::ANCHOR_START, &one.found, 1)) {
          return true;
        }
      }
    } else if (pattern_end_ <= text_.size() && one.pattern->compiled->GetRE2(0).Match(text_, pattern_end_, text_.size(),
                                                                                      RE2::UNANCHORED, &one.found, 1)) {
      return true;
    }
    one.pattern = nullptr;
    return false;
  }

  re2::StringPiece text_;
  std::span<const Place> words_;
  std::span<const Place> spelled_;
  absl::InlinedVector<Searched, 4> patterns_;
  size_t words_end_ = 0;
  size_t pattern_end_ = 0;
};

std::unique_ptr<Matcher> Matcher::Create(const std::vector<SignalModel>& signals,
                                         const std::vector<std::string>& negations, Problems& problems) {
  std::unique_ptr<Matcher> matcher(new Matcher());
  const size_t before = problems.size();

  Forms all;
  std::vector<bool> refused(signals.size(), false);
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
      all.Add(std::move(literal), {.signal = s, .index = order++, .is_name = is_name});
    }
    refused[s] = !forms.import_pattern.empty() &&
                 !matcher->AddPattern(s, order++, forms.import_pattern, forms.imported, {}, all);
    for (const std::string& pattern : signals[s].patterns) {
      if (!matcher->AddAlternatives(s, order, pattern, all)) refused[s] = true;
    }
  }
  MarkEmptyMatches(signals, refused, problems);
  for (size_t s = 0; s < signals.size(); ++s) {
    if (refused[s]) Explain(signals[s], problems);
  }
  all.MoveTo(*matcher);

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

bool Matcher::AddAlternatives(uint32_t signal, uint32_t& order, const std::string& pattern, Forms& forms) {
  bool accepted = true;
  std::string left;  // those that only RE2 can look for, as long as they follow each other and are looked for alike
  std::vector<Literal> beginnings;
  const auto add_left = [&] {
    if (!left.empty() && !AddPattern(signal, order++, left, {}, std::move(beginnings), forms)) accepted = false;
    left.clear();
    beginnings.clear();
  };
  for (const std::string& alternative : AlternativesOf(pattern)) {
    const std::vector<SpelledText> spelled = SpelledOut(alternative);
    if (spelled.empty()) {
      std::vector<Literal> begins = BeginningsOf(alternative);
      if (begins.empty() != beginnings.empty()) add_left();
      absl::StrAppend(&left, left.empty() ? "" : "|", alternative);
      absl::c_move(begins, std::back_inserter(beginnings));
      continue;
    }
    add_left();
    for (const SpelledText& one : spelled) {
      forms.Add({one.literal, {}}, {.signal = signal, .index = order++, .spelled = true, .goes_on = one.goes_on});
    }
  }
  add_left();
  return accepted;
}

bool Matcher::AddPattern(uint32_t signal, uint32_t order, const std::string& pattern,
                         std::span<std::vector<SignalLiteral>> needed, std::vector<Literal> beginnings, Forms& forms) {
  const auto index = static_cast<uint32_t>(patterns_.size());
  Pattern added;
  added.signal = signal;
  added.order = order;
  added.compiled = std::make_unique<re2::FilteredRE2>(kShortestNeeded);
  int id = 0;
  if (added.compiled->Add(pattern, PatternOptions(kPatternMemory), &id) != RE2::NoError) return false;
  std::vector<std::vector<SignalLiteral>> groups(needed.begin(), needed.end());
  if (groups.empty()) {
    for (std::vector<NeededLiteral>& group : NeededLiteralsOf(*added.compiled)) {
      std::vector<SignalLiteral>& literals = groups.emplace_back();
      for (NeededLiteral& one : group) literals.push_back({{std::move(one.text), one.fold_case, false, false}, {}});
    }
  }
  const auto all = static_cast<uint8_t>((1U << groups.size()) - 1);
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto bit = static_cast<uint8_t>(1U << i);
    for (SignalLiteral& literal : groups[i]) {
      forms.Add(std::move(literal), {.signal = signal, .index = index, .group = bit, .groups = all});
    }
  }
  added.has_beginnings = !beginnings.empty();
  // Where nothing else is needed, one of them is.
  const uint8_t needs = groups.empty() ? 1 : 0;
  for (Literal& literal : beginnings) {
    forms.Add({std::move(literal), {}},
              {.signal = signal, .index = index, .group = needs, .groups = needs, .begins = true});
  }
  if (groups.empty() && !added.has_beginnings && zones_[signal] != 0) unfiltered_.push_back(index);
  patterns_.push_back(std::move(added));
  return true;
}

bool Matcher::Negated(std::string_view text, size_t begin, size_t match) const {
  const size_t from = match - begin > kNegationWindow ? match - kNegationWindow : begin;
  return RE2::PartialMatch(text.substr(from, match - from), *negation_);
}

void Matcher::Match(const std::vector<ZonedText>& texts, std::vector<SignalHit>& hits) const {
  std::vector<ZoneMask> open = zones_;               // by signal: where it has no hit yet; points count once a zone
  std::vector<uint8_t> groups(patterns_.size(), 0);  // by pattern: of which this zone has a literal
  std::vector<bool> scanned(only_needed_.size());    // literals that this zone has
  std::vector<uint32_t> begun;                       // patterns that have any
  std::vector<LiteralScanner::Found> found;
  std::vector<Place> places;
  std::vector<uint32_t> worth;  // patterns worth searching for in this zone
  std::vector<Beginning> beginnings;
  found.reserve(kPlacesAtFirst);
  places.reserve(kPlacesAtFirst);
  begun.reserve(kPlacesAtFirst);
  for (const ZonedText& text : texts) {
    for (const ZoneSpan& span : text.zones) {
      const ZoneMask zone = MaskOf(span.zone);
      if ((searched_zones_ & zone) == 0 || span.begin >= span.end) continue;
      const std::string_view part = text.text.substr(span.begin, span.end - span.begin);
      const auto is_open = [&](uint32_t signal) { return (open[signal] & zone) != 0; };
      // The paths of a trace are its frames, and frames tell what fails.
      const bool in_code = span.zone == Zone::kCode;
      const bool in_trace = span.zone == Zone::kTrace;
      places.clear();
      worth.clear();
      beginnings.clear();
      for (const uint32_t pattern : begun) groups[pattern] = 0;
      begun.clear();
      std::fill(scanned.begin(), scanned.end(), false);
      found.clear();
      scanner_->Scan(part, found);
      for (const LiteralScanner::Found& literal : found) {
        if (only_needed_[literal.literal]) {
          if (scanned[literal.literal]) continue;
          scanned[literal.literal] = true;
        }
        const Form* const last = forms_.data() + first_form_[literal.literal + 1];
        for (const Form* form = forms_.data() + first_form_[literal.literal]; form != last; ++form) {
          if (!is_open(form->signal)) continue;
          if (form->then != '\0' && !IsNextWord(part, literal.end, form->then)) continue;
          size_t end = form->rest == 0 ? literal.end : EndOf(rests_[form->rest], part, literal.end);
          if (end == std::string_view::npos) continue;
          if (form->begins) beginnings.push_back({form->index, literal.begin});
          if (form->group != 0) {
            const uint8_t had = groups[form->index];
            const auto has = static_cast<uint8_t>(had | form->group);
            if (had == has) continue;
            if (had == 0) begun.push_back(form->index);
            groups[form->index] = has;
            if (has == form->groups) worth.push_back(form->index);
          } else if (!form->begins &&
                     (!form->is_name || in_trace ||
                      !(IsInPath(part, literal.begin, end) || (in_code && IsInBuildCommand(part, literal.begin))))) {
            while (form->goes_on && end < part.size() && IsWordByte(part[end])) ++end;
            places.push_back({form->signal, form->spelled, form->index, literal.begin, end});
          }
        }
      }
      for (const uint32_t pattern : unfiltered_) {
        if (is_open(patterns_[pattern].signal)) worth.push_back(pattern);
      }
      absl::c_sort(places, [](const Place& a, const Place& b) {
        return std::tie(a.signal, a.spelled, a.begin, a.order) < std::tie(b.signal, b.spelled, b.begin, b.order);
      });
      absl::c_sort(worth);
      absl::c_sort(beginnings, [](const Beginning& a, const Beginning& b) {
        return std::tie(a.pattern, a.at) < std::tie(b.pattern, b.at);
      });

      const Place* place = places.data();
      const Place* const last = place + places.size();
      auto pattern = worth.begin();
      auto beginning = beginnings.cbegin();
      while (place != last || pattern != worth.end()) {
        const uint32_t of_pattern = pattern == worth.end() ? UINT32_MAX : patterns_[*pattern].signal;
        const uint32_t signal = place == last ? of_pattern : std::min(place->signal, of_pattern);
        const Place* const words = place;
        while (place != last && place->signal == signal && !place->spelled) ++place;
        const Place* const spelled = place;
        while (place != last && place->signal == signal) ++place;
        ZoneSearch search(part, {words, spelled}, {spelled, place});
        for (; pattern != worth.end() && patterns_[*pattern].signal == signal; ++pattern) {
          while (beginning != beginnings.cend() && beginning->pattern < *pattern) ++beginning;
          const auto first = beginning;
          while (beginning != beginnings.cend() && beginning->pattern == *pattern) ++beginning;
          search.AddPattern(patterns_[*pattern], {first, beginning});
        }
        // The first place that is not negated.
        const bool may_be_negated = negation_ != nullptr && negatable_[signal] && HasSentences(span.zone);
        while (const auto next = search.Next()) {
          const size_t begin = span.begin + next->first;
          if (may_be_negated && Negated(text.text, span.begin, begin)) continue;
          open[signal] &= static_cast<ZoneMask>(~zone);
          hits.push_back({signal, span.zone, text.source, text.comment_index, begin, span.begin + next->second});
          break;
        }
      }
    }
  }
}

}  // namespace yardmaster::rules
