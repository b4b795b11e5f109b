#include "rules/engine/phrases/clauses.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "rules/engine/phrases/clause_facts.h"

namespace yardmaster::rules {
namespace {

// Words of letters only a name or a typing mistake; longer ones are neither.
constexpr size_t kMaxWord = 200;

class Reader {
 public:
  Reader(const PhraseSet::Impl& phrases, std::string_view message) : phrases_(phrases), message_(message) {
    out_.text = NormalisePhrase(message, phrases.fold);
    MaskQuotations(out_.text);
  }

  ReadPhrase Read() {
    out_.taken = TakeSlots(phrases_, message_, out_.text);
    const std::string& text = out_.text.text;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      ReadLine(begin, end);
      begin = end + 1;
    }
    return std::move(out_);
  }

 private:
  // ---- lines

  void ReadLine(size_t begin, size_t end) {
    for_others_ = false;
    sentence_for_others_ = false;
    sentence_topic_ = 0;
    line_begins_ = true;
    Open(true);
    size_t first = begin;
    const std::string& text = out_.text.text;
    while (first < end && text[first] == ' ') ++first;
    if (first < end && text[first] == '/' && first + 1 < end && text[first + 1] >= 'a' && text[first + 1] <= 'z') {
      if (!ReadSlash(first, end)) return;
    } else {
      ReadWords(first, end);
    }
    Close();
  }

  // A line that begins with a command word. Those that are not ours are somebody else's.
  bool ReadSlash(size_t first, size_t end) {
    const std::string& text = out_.text.text;
    const auto word_end = [&](size_t pos) {
      while (pos < end && (IsFoldedWordByte(text[pos]) || text[pos] == '-' || text[pos] == '/')) ++pos;
      return pos;
    };
    const size_t one = word_end(first);
    size_t two = one;
    while (two < end && text[two] == ' ') ++two;
    two = word_end(two);
    std::string both = text.substr(first, one - first);
    if (two > one) {
      const std::string second = text.substr(one, two - one);
      const size_t letter = second.find_first_not_of(' ');
      if (letter != std::string::npos) both += " " + second.substr(letter);
    }
    for (const auto& [word, rest] : {std::pair(both, two), std::pair(text.substr(first, one - first), one)}) {
      const auto it = phrases_.slash.find(word);
      if (it == phrases_.slash.end()) continue;
      clause_.slash = it->second;
      in_slash_ = true;
      ReadWords(rest, end);
      in_slash_ = false;
      return true;
    }
    // "/autogit triage": our own name, and words.
    if (phrases_.own_names.count(text.substr(first + 1, one - first - 1)) == 0) return false;
    ReadWords(one, end);
    return true;
  }

  void Open(bool sentence) {
    clause_ = PhraseClause();
    clause_.for_others = for_others_ || sentence_for_others_;
    clause_.new_sentence = sentence;
    has_verb_ = false;
    article_at_ = SIZE_MAX;
  }

  void Close() {
    if (clause_.tokens.empty() && clause_.roles == 0 && clause_.slash.empty()) return;
    if (!clause_.tokens.empty() && (OnlyPeople() || EndsWithMention())) AddressSentence();
    clause_.maybe_name = MaybeName() || MentionsLast();
    if (out_.clauses.size() >= kMaxPhraseClauses) {
      out_.too_many = true;
    } else {
      out_.clauses.push_back(std::move(clause_));
    }
    clause_ = PhraseClause();
  }

  // A clause that is only somebody's name: the sentence is said to them.
  bool OnlyPeople() const {
    return absl::c_all_of(clause_.tokens, [&](const auto& token) {
      return token.concept_number == phrases_.mention || phrases_.Has(token.concept_number, PhraseRole::kPerson);
    });
  }

  // "please push, @bob"; "push, cc @bob" only tells them.
  bool EndsWithMention() const {
    return MentionsLast() && phrases_.Has(clause_.tokens[clause_.tokens.size() - 2].concept_number, PhraseRole::kVerb);
  }

  // "push your changes @bob": may be said to them.
  bool MentionsLast() const {
    return clause_.tokens.size() >= 2 && clause_.tokens.back().concept_number == phrases_.mention &&
           clause_.slash.empty();
  }

  // "张三，…", "alice: …" at the beginning of a line, "…, Bob" behind something: one word that we don't know.
  bool MaybeName() const {
    if (clause_.Has(PhraseRole::kGreeting)) return true;
    if (clause_.tokens.size() != 1 || clause_.tokens[0].concept_number != phrases_.unknown || clause_.question_mark)
      return false;
    const size_t at = clause_.tokens[0].begin;
    const std::string& text = out_.text.text;
    if (clause_.new_sentence) {
      size_t end = at;
      size_t characters = 0;
      while (end < text.size() && static_cast<unsigned char>(text[end]) >= 0xE0) {
        NextCodePoint(text, end);
        ++characters;
      }
      return characters == 0 || (characters >= 2 && characters <= 4);
    }
    const char original = message_[out_.text.origin[at]];
    return original >= 'A' && original <= 'Z';
  }

  void AddressSentence() {
    clause_.for_others = true;
    sentence_for_others_ = true;
    MarkSentence();
  }

  void Split(bool sentence) {
    // One command, one line: what it is given may hold commas.
    if (in_slash_) return;
    Close();
    if (sentence) {
      sentence_for_others_ = false;
      sentence_topic_ = 0;
    }
    Open(sentence);
  }

  // Goes on in a clause that `carried` holds for too.
  void Continue(uint64_t carried) {
    Split(false);
    clause_.roles |= carried;
  }

  void ReadWords(size_t begin, size_t end) {
    auto taken =
        absl::c_lower_bound(out_.taken, begin, [](const TakenSlots& one, size_t at) { return one.begin < at; });
    for (size_t pos = begin; pos < end;) {
      while (taken != out_.taken.end() && taken->begin < pos) ++taken;
      if (taken != out_.taken.end() && taken->begin == pos) {
        const auto index = static_cast<int32_t>(taken - out_.taken.begin());
        const std::vector<uint16_t>& concepts = taken->find->concepts;
        for (size_t i = 0; i < concepts.size(); ++i) AddConcept(concepts[i], pos, end, i == 0 ? index : -1);
        pos = taken->end;
        unknown_run_ = false;
        continue;
      }
      const size_t limit = taken == out_.taken.end() ? end : std::min<size_t>(end, taken->begin);
      pos = ReadOne(pos, limit, end);
    }
    unknown_run_ = false;
  }

  // Reads what begins at `pos`; nothing of it may pass `limit`.
  size_t ReadOne(size_t pos, size_t limit, size_t end) {
    const std::string& text = out_.text.text;
    const char c = text[pos];
    if (c == ' ') return pos + 1;
    if (IsMask(c)) {
      size_t stop = pos;
      while (stop < limit && text[stop] == c) ++stop;
      if (c != kBlockMask) AddConcept(phrases_.quoted, pos, end, -1);
      unknown_run_ = false;
      return stop;
    }
    if (c == '@') return ReadMention(pos, limit);
    const WordMatch word = phrases_.lexicon.Find(std::string_view(text).substr(0, limit), pos);
    // One character behind others that we don't know is most often a part of their word.
    if (word.bytes == 3 && unknown_run_ && static_cast<unsigned char>(c) >= 0xE0 &&
        PartOfWord(word.concepts->front())) {
      return pos + 3;
    }
    if (word.bytes > 3 && has_verb_ && !in_slash_ && static_cast<unsigned char>(c) >= 0xE0) {
      // "先跑 lint 再跑 UT": behind a verb the first character goes on to the next step.
      const WordMatch one = phrases_.lexicon.Find(std::string_view(text).substr(0, pos + 3), pos);
      if (one.bytes == 3 && phrases_.Has(one.concepts->front(), PhraseRole::kBreak) &&
          phrases_.Has(word.concepts->front(), PhraseRole::kVerb) && VerbFollows(pos + 3, end)) {
        unknown_run_ = false;
        AddConcept(one.concepts->front(), pos, end, -1, pos + 3);
        return pos + 3;
      }
    }
    // "…，完了跑一遍 UT": a step that is named by nothing but its end only says "then".
    if (word.bytes > 0 && !in_slash_ && clause_.tokens.empty() && IsBareEnd(*word.concepts) &&
        VerbFollows(pos + word.bytes, end)) {
      unknown_run_ = false;
      Continue(Carried(false) | sentence_topic_ | RoleBits(PhraseRole::kBreak));
      return pos + word.bytes;
    }
    if (word.bytes > 0) {
      unknown_run_ = false;
      out_.misspelt = out_.misspelt || word.misspelt;
      for (const uint16_t number : *word.concepts) AddConcept(number, pos, end, -1, pos + word.bytes);
      return pos + word.bytes;
    }
    if (IsFoldedWordByte(c)) return ReadAsciiWord(pos, limit, end);
    if (static_cast<unsigned char>(c) < 0x80) {
      unknown_run_ = false;
      ReadMark(pos, end);
      return pos + 1;
    }
    size_t next = pos;
    const char32_t character = NextCodePoint(text, next);
    if (character == 0x3002 || character == 0x2026) {  // full stop, ellipsis
      unknown_run_ = false;
      Split(character == 0x3002);
      return next;
    }
    if ((character >= 0x3400 && character <= 0x9FFF) || (character >= 0x20000 && character <= 0x3FFFF)) {
      // A run of characters that no word begins with is one thing we don't know.
      if (!unknown_run_) AddConcept(phrases_.unknown, pos, end, -1);
      unknown_run_ = true;
      return next;
    }
    unknown_run_ = false;
    if (character == 0x2014 || character == 0x2013 || character == 0x2192) Split(false);
    return next;  // emoji and other signs say nothing
  }

  // Words of one character that mean what they mean wherever they stand keep it.
  bool PartOfWord(uint16_t number) const {
    return !phrases_.Has(number, PhraseRole::kNegation, PhraseRole::kQuestion, PhraseRole::kPerfect, PhraseRole::kTake,
                         PhraseRole::kMaybe, PhraseRole::kJoin, PhraseRole::kAfter, PhraseRole::kBefore);
  }

  void ReadMark(size_t pos, size_t end) {
    const std::string& text = out_.text.text;
    switch (text[pos]) {
      case '?':
        clause_.question_mark = true;
        Split(true);
        return;
      case ',':
      case ':':
      case '(':
      case ')':
        Split(false);
        return;
      case ';':
      case '!':
        Split(true);
        return;
      case '.':
        // "1. commit 2. push": steps of one list.
        if (pos > 0 && text[pos - 1] >= '0' && text[pos - 1] <= '9' && !clause_.tokens.empty() &&
            clause_.tokens.back().concept_number == phrases_.number) {
          if (pos + 1 >= end || text[pos + 1] == ' ') Split(false);
          return;
        }
        if (pos + 1 >= end || text[pos + 1] == ' ' || static_cast<unsigned char>(text[pos + 1]) >= 0x80) Split(true);
        return;
      case '-':
        if (pos > 0 && text[pos - 1] == ' ' && pos + 1 < end && text[pos + 1] == ' ') Split(false);
        return;
      default:
        return;
    }
  }

  size_t ReadAsciiWord(size_t pos, size_t limit, size_t end) {
    const std::string& text = out_.text.text;
    size_t stop = pos;
    bool digits = true;
    while (stop < limit && stop - pos < kMaxWord &&
           (IsFoldedWordByte(text[stop]) ||
            (stop + 1 < limit && (text[stop] == '.' || text[stop] == '-' || text[stop] == '/' || text[stop] == '\'') &&
             IsFoldedWordByte(text[stop + 1])))) {
      digits = digits && text[stop] >= '0' && text[stop] <= '9';
      ++stop;
    }
    unknown_run_ = false;
    if (digits) {
      AddConcept(phrases_.number, pos, end, -1);
      return stop;
    }
    const std::string_view word = std::string_view(text).substr(pos, stop - pos);
    // A word of letters may be misspelt.
    const auto letters =
        static_cast<size_t>(absl::c_find_if(word, [](char c) { return c < 'a' || c > 'z'; }) - word.begin());
    if (letters == word.size() || word[letters] == '/' || word[letters] == '-') {
      const WordMatch meant = phrases_.lexicon.FindMisspelt(word.substr(0, letters));
      if (meant.bytes > 0) {
        out_.misspelt = true;
        for (const uint16_t number : *meant.concepts) AddConcept(number, pos, end, -1, pos + letters);
        return pos + letters;
      }
    }
    const bool name = word.find_first_of("./_0123456789") != std::string_view::npos;
    AddConcept(name ? phrases_.reference : phrases_.unknown, pos, end, -1);
    return stop;
  }

  // "@name": ours says nothing; another bot's makes the line its own, a person's does where the line begins with it.
  size_t ReadMention(size_t pos, size_t limit) {
    const std::string& text = out_.text.text;
    size_t stop = pos + 1;
    while (stop < limit &&
           (IsFoldedWordByte(text[stop]) || text[stop] == '-' || text[stop] == '[' || text[stop] == ']'))
      ++stop;
    unknown_run_ = false;
    const std::string name = text.substr(pos + 1, stop - pos - 1);
    if (phrases_.own_names.count(name) > 0) return stop;
    const bool bot = phrases_.other_bots != nullptr && RE2::FullMatch(name, *phrases_.other_bots);
    if (bot || (line_begins_ && clause_.tokens.empty())) {
      for_others_ = true;
      clause_.for_others = true;
      if (bot) MarkSentence();
    }
    AddConcept(phrases_.mention, pos, limit, -1);
    return std::max(stop, pos + 1);
  }

  // The clauses of this sentence that were read already are for the bot too.
  void MarkSentence() {
    if (clause_.new_sentence) return;
    for (size_t i = out_.clauses.size(); i-- > 0;) {
      out_.clauses[i].for_others = true;
      if (out_.clauses[i].new_sentence) return;
    }
  }

  // ---- clauses

  void AddConcept(uint16_t number, size_t pos, size_t end, int32_t taken, size_t word_end = 0) {
    const auto has = [&](PhraseRole role) { return phrases_.Has(number, role); };
    line_begins_ = line_begins_ && phrases_.silent[number];
    if (!in_slash_) {
      // "Then" goes on after a step; in front of the first verb it is a word like others ("I'll then …").
      if (has(PhraseRole::kBreak) && (has_verb_ || clause_.tokens.empty())) {
        // "跑完 UT 再提交": a step, not a report.
        if (IsStep()) clause_.after = true;
        Continue(Carried(false) | sentence_topic_ | phrases_.roles[number]);
        return;
      }
      if (has(PhraseRole::kSo) && IsStep() && VerbFollows(word_end, end)) {
        clause_.after = true;
        Continue(Carried(false) | sentence_topic_);
        return;
      }
      if (has(PhraseRole::kJoin) && has_verb_ && VerbFollows(word_end, end)) {
        Continue(Carried(true));
        clause_.joined = true;
        return;
      }
      // "提交完跑一下门禁"
      if (has(PhraseRole::kDeed) && IsStep()) {
        clause_.after = true;
        Continue(Carried(false) | sentence_topic_);
      }
      if (has(PhraseRole::kTurn)) Split(false);
      if (has(PhraseRole::kNegation) && has_verb_ && VerbFollows(word_end, end, true) && !IsTopic(pos, word_end, end))
        Split(false);
      if (phrases_.Has(number, PhraseRole::kAfter, PhraseRole::kBefore)) {
        if (!clause_.tokens.empty()) {
          (has(PhraseRole::kAfter) ? clause_.after : clause_.before) = true;
          Continue(Carried(false));
        }
        return;
      }
      if (phrases_.Has(number, PhraseRole::kAfterThat, PhraseRole::kBeforeThat)) {
        const bool leads = clause_.tokens.empty() && has(PhraseRole::kAfterThat);
        Split(false);
        clause_.time_only = !leads;
        clause_.after = clause_.leads_after = leads;
        return;
      }
    }
    if (clause_.tokens.empty() && has(PhraseRole::kAuxiliary)) clause_.first_auxiliary = true;
    has_verb_ = has_verb_ || has(PhraseRole::kVerb);
    clause_.roles |= phrases_.roles[number];
    // "李工麻烦把 … 压一下", "提交 #12 的人请 …": the one in front is asked.
    if (phrases_.Has(number, PhraseRole::kPolite, PhraseRole::kTake) && !in_slash_ && !clause_.tokens.empty() &&
        (phrases_.Has(clause_.tokens.front().concept_number, PhraseRole::kPerson) ||
         phrases_.Has(clause_.tokens.back().concept_number, PhraseRole::kPerson)))
      AddressSentence();
    // "麻烦作者 …", "同步请仓库管理员 …": asked too.
    if (has(PhraseRole::kPerson) && clause_.Has(PhraseRole::kPolite) && !clause_.Has(PhraseRole::kTake) && !in_slash_ &&
        !HasRole(phrases_, clause_, PhraseRole::kVerb, clause_.please_before))
      AddressSentence();
    if (has(PhraseRole::kMaybe) && !has(PhraseRole::kFinal)) clause_.can = true;
    if (has(PhraseRole::kTake)) clause_.take_before = std::min(clause_.take_before, clause_.tokens.size());
    if (has(PhraseRole::kPolite)) clause_.please_before = std::min(clause_.please_before, clause_.tokens.size());
    if (has(PhraseRole::kThanks) && clause_.tokens.empty() && !clause_.Has(PhraseRole::kPolite))
      clause_.thanks_first = true;
    if (has(PhraseRole::kTopic)) sentence_topic_ |= RoleBits(PhraseRole::kTopic);
    if (has(PhraseRole::kWant)) clause_.want_before = std::min(clause_.want_before, clause_.tokens.size());
    if (has(PhraseRole::kArticle)) article_at_ = clause_.tokens.size();
    if (phrases_.silent[number]) return;
    if (clause_.tokens.empty() && article_at_ == 0) clause_.first_is_noun = true;
    if (clause_.tokens.size() < 64 && article_at_ == clause_.tokens.size())
      clause_.articles |= uint64_t{1} << clause_.tokens.size();
    clause_.tokens.push_back({number, static_cast<uint32_t>(pos), taken});
  }

  // Who does it, and when, holds for the clause that goes on without a comma too; what is joined is also negated with
  // it.
  uint64_t Carried(bool joined) const {
    uint64_t carried = clause_.roles & RoleBits(PhraseRole::kPlan, PhraseRole::kLater, PhraseRole::kTopic);
    if (joined) carried |= clause_.roles & RoleBits(PhraseRole::kDone, PhraseRole::kNegation);
    if (clause_.Has(PhraseRole::kSelf, PhraseRole::kOther)) carried |= RoleBits(PhraseRole::kPlan);
    if (clause_.Has(PhraseRole::kPolite, PhraseRole::kWant)) carried &= RoleBits(PhraseRole::kNegation);
    return carried;
  }

  // The clause so far tells of a step that is to be done, by nobody named and at no time named.
  bool IsStep() const {
    if (!has_verb_ || !clause_.Has(PhraseRole::kStep) || clause_.Has(PhraseRole::kSelf)) return false;
    return absl::c_none_of(clause_.tokens, [&](const PhraseToken& token) {
      return phrases_.Has(token.concept_number, PhraseRole::kDone) &&
             !phrases_.Has(token.concept_number, PhraseRole::kStep);
    });
  }

  // The end of a step, and not of which.
  bool IsBareEnd(const std::vector<uint16_t>& concepts) const {
    return phrases_.Has(concepts.front(), PhraseRole::kStep) &&
           absl::c_none_of(concepts, [&](uint16_t number) { return phrases_.Has(number, PhraseRole::kVerb); });
  }

  // "测试先不跑", "#12 的提交先别压": what stands in front of the negation is no request but what it is about. That is
  // so in Chinese, where there is one verb in front and nothing asks for it, and the clause ends with a verb for what
  // is done with things.
  bool IsTopic(size_t pos, size_t word_end, size_t end) const {
    const std::string& text = out_.text.text;
    if (static_cast<unsigned char>(text[pos]) < 0x80 || clause_.tokens.empty()) return false;
    if (clause_.Has(PhraseRole::kPolite, PhraseRole::kTake, PhraseRole::kSoft, PhraseRole::kWant, PhraseRole::kPerfect))
      return false;
    bool named = false;
    for (const PhraseToken& token : clause_.tokens) {
      const bool verb = phrases_.Has(token.concept_number, PhraseRole::kVerb);
      const PhraseRole beside = named ? PhraseRole::kLead : PhraseRole::kThing;
      if (verb ? named : !phrases_.Has(token.concept_number, beside)) return false;
      named = named || verb;
    }
    if (!named) return false;
    bool handled = false;
    for (size_t at = word_end; at < end;) {
      const char c = text[at];
      if (c == ' ') {
        ++at;
        continue;
      }
      const WordMatch word = phrases_.lexicon.Find(std::string_view(text).substr(0, end), at);
      if (word.bytes == 0) {
        if (!handled) return false;
        size_t next = at;
        const char32_t character = NextCodePoint(text, next);
        return (character < 0x80 && !IsFoldedWordByte(c) && c != '#' && c != '@' && !IsMask(c)) || character == 0x3002;
      }
      for (const uint16_t number : *word.concepts) {
        if (!handled && phrases_.Has(number, PhraseRole::kHandling)) {
          handled = true;
        } else if (!phrases_.silent[number] && !phrases_.Has(number, PhraseRole::kPerfect, PhraseRole::kStep)) {
          return false;
        }
      }
      at += word.bytes;
    }
    return handled;
  }

  // True if what follows begins with a verb; with `anywhere`, if there is one before the clause ends.
  bool VerbFollows(size_t pos, size_t end, bool anywhere = false) const {
    const std::string& text = out_.text.text;
    if (pos == 0) return false;
    for (int words = 0; pos < end && words < 8;) {
      const char c = text[pos];
      if (c == ' ') {
        ++pos;
        continue;
      }
      for (const TakenSlots& taken : out_.taken) {
        if (taken.begin <= pos && pos < taken.end) return anywhere && VerbFollows(taken.end, end, true);
      }
      const WordMatch word = phrases_.lexicon.Find(std::string_view(text).substr(0, end), pos);
      if (word.bytes == 0) {
        if (!anywhere) return false;
        if (c == ',' || c == ';' || c == '!' || c == '?') return false;
        size_t next = pos;
        const char32_t character = NextCodePoint(text, next);
        if (character == 0x3002) return false;
        if (IsFoldedWordByte(c)) {
          while (next < end && IsFoldedWordByte(text[next])) ++next;
        }
        pos = next;
        ++words;
        continue;
      }
      for (const uint16_t number : *word.concepts) {
        if (phrases_.Has(number, PhraseRole::kVerb)) return true;
        if (phrases_.Has(number, PhraseRole::kBreak) && anywhere) return false;
        if (phrases_.Has(number, PhraseRole::kNegation) && !anywhere) return true;
        if (!anywhere && !phrases_.silent[number] && !phrases_.Has(number, PhraseRole::kLead)) return false;
      }
      pos += word.bytes;
      ++words;
    }
    return false;
  }

  const PhraseSet::Impl& phrases_;
  const std::string_view message_;
  ReadPhrase out_;
  PhraseClause clause_;
  bool for_others_ = false;
  bool sentence_for_others_ = false;  // somebody is addressed in this sentence
  uint64_t sentence_topic_ = 0;       // what the sentence so far says about rules and habits, for its further steps
  bool line_begins_ = true;
  bool in_slash_ = false;
  bool has_verb_ = false;
  size_t article_at_ = SIZE_MAX;  // token that an article stands in front of
  bool unknown_run_ = false;
};

}  // namespace

ReadPhrase ReadClauses(const PhraseSet::Impl& phrases, std::string_view message) {
  return Reader(phrases, message).Read();
}

std::string ClauseText(const PhraseSet::Impl& phrases, const PhraseClause& clause) {
  std::string out = " ";
  for (const PhraseToken& token : clause.tokens) {
    out += phrases.concepts[token.concept_number];
    out += ' ';
  }
  return out;
}

}  // namespace yardmaster::rules
