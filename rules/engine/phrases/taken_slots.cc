#include "rules/engine/phrases/taken_slots.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/core/utf8.h"

namespace yardmaster::rules {
namespace {

class SlotTaker {
 public:
  SlotTaker(const PhraseSet::Impl& phrases, std::string_view message, const PhraseText& text)
      : phrases_(phrases), message_(message), text_(text.text), origin_(text.origin) {}

  std::vector<TakenSlots> Take() {
    if (phrases_.finds.empty()) return {};
    for (const int find : phrases_.find_filter.Candidates(text_)) TakeAll(phrases_.finds[static_cast<size_t>(find)]);
    absl::c_sort(taken_, [](const TakenSlots& a, const TakenSlots& b) { return a.begin < b.begin; });
    return std::move(taken_);
  }

 private:
  using Groups = std::vector<re2::StringPiece>;

  void TakeAll(const PhraseFind& find) {
    Groups groups(static_cast<size_t>(find.pattern->NumberOfCapturingGroups()) + 1);
    for (size_t pos = 0; pos < text_.size();) {
      if (!find.pattern->Match(text_, pos, text_.size(), RE2::UNANCHORED, groups.data(),
                               static_cast<int>(groups.size())))
        return;
      const re2::StringPiece& span = groups[static_cast<size_t>(find.span)];
      const size_t begin = At(span);
      const size_t end = begin + span.size();
      // Lines are read one by one: what spans two of them belongs to none.
      if (const size_t line_end = span.find('\n'); line_end != re2::StringPiece::npos) {
        pos = begin + line_end + 1;
        continue;
      }
      if (span.empty()) {
        pos = At(groups[0]) + std::max<size_t>(1, groups[0].size());
        continue;
      }
      const auto other =
          absl::c_find_if(taken_, [&](const TakenSlots& one) { return one.begin < end && begin < one.end; });
      if (other != taken_.end()) {
        pos = CharacterAt(std::max<size_t>(other->end, begin + 1));
        continue;
      }
      std::optional<TakenSlots> taken = Read(find, groups, begin, end);
      if (!taken.has_value()) {
        pos = CharacterAt(begin + 1);
        continue;
      }
      pos = taken->end;
      taken_.push_back(std::move(*taken));
    }
  }

  size_t At(const re2::StringPiece& group) const { return static_cast<size_t>(group.data() - text_.data()); }

  // The first byte of a character from `pos` on.
  size_t CharacterAt(size_t pos) const {
    while (pos < text_.size() && ContinuesUtf8(text_[pos])) ++pos;
    return pos;
  }

  // The slots of a match; nothing if one of them is no name of anything.
  std::optional<TakenSlots> Read(const PhraseFind& find, const Groups& groups, size_t begin, size_t end) const {
    TakenSlots taken;
    taken.find = &find;
    taken.begin = static_cast<uint32_t>(begin);
    taken.end = static_cast<uint32_t>(end);
    for (const auto& [number, slot] : find.groups) {
      const re2::StringPiece& group = groups[static_cast<size_t>(number)];
      if (group.data() == nullptr || group.empty()) continue;
      const size_t at = At(group);
      size_t stop = at + group.size();
      if (slot == "reviewers") {
        // A list of names ends where a word of ours begins.
        stop = EndOfNames(at, stop);
        if (stop < at + group.size() && stop > at && at + group.size() == end) {
          taken.end = static_cast<uint32_t>(stop);
        } else if (stop < at + group.size()) {
          stop = at;
        }
      } else if ((slot == "ref" || slot == "bare" || slot == "base" || slot == "branch") && IsWord(at, stop)) {
        stop = at;
      }
      if (stop == at) return std::nullopt;
      // Numbers in the digits that everybody reads.
      const bool digits = slot == "pr" || slot == "issue";
      taken.values.emplace_back(slot, digits ? text_.substr(at, stop - at) : Original(at, stop));
    }
    return taken;
  }

  // True if this is all one word of the lexicon: no name of anything then.
  bool IsWord(size_t begin, size_t end) const {
    if (IsMask(text_[begin]) || absl::ascii_isdigit(static_cast<unsigned char>(text_[begin]))) return false;
    return phrases_.lexicon.Find(std::string_view(text_).substr(0, end), begin).bytes == end - begin;
  }

  // Where a list of names that begins at `begin` ends: behind the last name that is none of our words.
  size_t EndOfNames(size_t begin, size_t end) const {
    size_t last = begin;
    for (size_t pos = begin; pos < end;) {
      size_t next = pos;
      const char32_t c = NextCodePoint(text_, next);
      const bool ascii = c < 0x80 && IsFoldedWordByte(static_cast<char>(c));
      if (!ascii && c < 0x3400) {
        pos = next;  // separators and "@"
        continue;
      }
      const WordMatch word = phrases_.lexicon.Find(text_, pos);
      if (Joins(word)) {
        pos += word.bytes;
        continue;
      }
      size_t stop = pos;
      if (ascii) {
        while (stop < end && (IsFoldedWordByte(text_[stop]) || text_[stop] == '-' || text_[stop] == '.')) ++stop;
        const bool named = pos > 0 && text_[pos - 1] == '@';
        if (!named && word.bytes > 0) return last;
      } else {
        // A name of a few characters without a word of ours in it.
        while (stop < end) {
          size_t after = stop;
          const char32_t han = NextCodePoint(text_, after);
          if (han < 0x3400 || han > 0x9FFF) break;
          const WordMatch inner = phrases_.lexicon.Find(text_, stop);
          if (Joins(inner)) break;
          if (inner.bytes > 3 || (inner.bytes > 0 && stop == pos)) return last;
          stop = after;
        }
      }
      last = stop;
      pos = std::max(stop, next);
    }
    return last;
  }

  bool Joins(const WordMatch& word) const {
    return word.bytes > 0 && phrases_.Has(word.concepts->front(), PhraseRole::kJoin);
  }

  // The message's own words for a piece of the folded text; without quotation marks or back-ticks around all of it.
  std::string Original(size_t begin, size_t end) const {
    const std::string_view value = message_.substr(origin_[begin], origin_[end] - origin_[begin]);
    if (text_[begin] == kCodeMask) return Stripped(value, "` ");
    if (!IsMask(text_[begin])) return Stripped(value, " \t");
    size_t from = 0;
    NextCodePoint(value, from);
    size_t to = value.size();
    while (to > from && ContinuesUtf8(value[to - 1])) --to;
    if (to > from) --to;
    return std::string(value.substr(from, to - from));
  }

  static std::string Stripped(std::string_view value, std::string_view blanks) {
    const size_t first = value.find_first_not_of(blanks);
    return first == std::string::npos ? ""
                                      : std::string(value.substr(first, value.find_last_not_of(blanks) + 1 - first));
  }

  const PhraseSet::Impl& phrases_;
  const std::string_view message_;
  const std::string& text_;
  const std::vector<uint32_t>& origin_;
  std::vector<TakenSlots> taken_;
};

}  // namespace

std::vector<TakenSlots> TakeSlots(const PhraseSet::Impl& phrases, std::string_view message, const PhraseText& text) {
  return SlotTaker(phrases, message, text).Take();
}

}  // namespace yardmaster::rules
