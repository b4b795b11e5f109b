#include "rules/engine/phrases/lexicon.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/phrases/phrase_text.h"
#include "services/core/utf8.h"

namespace yardmaster::rules {
namespace {

// Shorter words are too close to others.
constexpr size_t kMinMisspelt = 4;
constexpr size_t kMaxMisspelt = 24;
// From this length on two mistakes are looked through.
constexpr size_t kTwoMistakes = 8;

bool Space(char c) { return c == ' ' || c == '\n'; }

std::string WithoutDoubles(std::string_view word) {
  std::string out(word);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Edit distance with neighbours that changed places, as far as `most`.
size_t Distance(std::string_view a, std::string_view b, size_t most) {
  if (a.size() > b.size() + most || b.size() > a.size() + most) return most + 1;
  std::array<std::array<size_t, kMaxMisspelt + 4>, 3> rows;
  std::array<size_t, kMaxMisspelt + 4>* before = &rows[0];
  std::array<size_t, kMaxMisspelt + 4>* last = &rows[1];
  std::array<size_t, kMaxMisspelt + 4>* row = &rows[2];
  for (size_t j = 0; j <= b.size(); ++j) (*last)[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    (*row)[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = (*last)[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      (*row)[j] = std::min({(*last)[j] + 1, (*row)[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        (*row)[j] = std::min((*row)[j], (*before)[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return (*last)[b.size()];
}

}  // namespace

void Lexicon::AddHomophones(std::string_view characters) {
  char32_t first = 0;
  for (size_t pos = 0; pos < characters.size();) {
    const char32_t c = NextCodePoint(characters, pos);
    if (first == 0) first = c;
    homophones_.emplace(c, first);
  }
}

std::string Lexicon::Sound(std::string_view word) const {
  std::string out;
  for (size_t pos = 0; pos < word.size();) {
    const char32_t c = NextCodePoint(word, pos);
    const auto it = homophones_.find(c);
    AppendUtf8(it == homophones_.end() ? c : it->second, out);
  }
  return out;
}

bool Lexicon::Add(std::string_view word, std::vector<uint16_t> concepts) {
  const auto entry = static_cast<int32_t>(entries_.size());
  if (const int32_t there = words_.Insert(word, entry); there != entry) {
    return entries_[static_cast<size_t>(there)] == concepts;
  }
  entries_.push_back(std::move(concepts));
  size_t characters = 0;
  bool chinese = false;
  for (size_t pos = 0; pos < word.size(); ++characters) chinese = NextCodePoint(word, pos) > 0x7F || chinese;
  if (chinese && characters >= 2) sounds_.Insert(Sound(word), entry);
  if (!chinese && word.size() >= kMinMisspelt && word.size() <= kMaxMisspelt &&
      absl::c_all_of(word, [](char c) { return c >= 'a' && c <= 'z'; })) {
    spellings_[static_cast<size_t>(word[0] - 'a')].push_back({std::string(word), entry});
  }
  return true;
}

void Lexicon::Trim() {
  words_.Trim();
  sounds_.Trim();
  entries_.shrink_to_fit();
  for (std::vector<Spelling>& spellings : spellings_) spellings.shrink_to_fit();
}

WordMatch Lexicon::Walk(const ByteTrie& trie, std::string_view text, size_t pos) const {
  WordMatch best;
  uint32_t node = 0;
  for (size_t i = pos; i < text.size();) {
    // Any white space is one space.
    const auto byte = static_cast<unsigned char>(Space(text[i]) ? ' ' : text[i]);
    node = trie.Next(node, byte);
    if (node == 0) break;
    ++i;
    if (byte == ' ') {
      while (i < text.size() && text[i] == ' ') ++i;
    }
    if (trie.Entry(node) < 0) continue;
    if (IsFoldedWordByte(text[i - 1]) && i < text.size() && IsFoldedWordByte(text[i])) continue;
    best.bytes = i - pos;
    best.concepts = &entries_[static_cast<size_t>(trie.Entry(node))];
  }
  return best;
}

WordMatch Lexicon::Find(std::string_view text, size_t pos) const {
  if (IsFoldedWordByte(text[pos]) && pos > 0 && IsFoldedWordByte(text[pos - 1])) return {};
  const WordMatch exact = Walk(words_, text, pos);
  if (static_cast<unsigned char>(text[pos]) < 0x80) return exact;
  // By sound: a window of characters, each as the first of those that sound like it.
  constexpr size_t kWindow = 24;
  const std::string_view window = text.substr(pos, kWindow);
  std::string sound;
  std::array<uint8_t, kWindow * 2> ends{};  // of each byte of `sound`: where its character ends in `window`
  for (size_t at = 0; at < window.size();) {
    const char32_t c = NextCodePoint(window, at);
    if (c == 0xFFFD) break;
    const auto it = homophones_.find(c);
    AppendUtf8(it == homophones_.end() ? c : it->second, sound);
    if (sound.size() > ends.size()) break;
    ends[sound.size() - 1] = static_cast<uint8_t>(at);
  }
  WordMatch heard = Walk(sounds_, sound, 0);
  if (heard.bytes == 0 || heard.bytes > ends.size()) return exact;
  heard.bytes = ends[heard.bytes - 1];
  heard.misspelt = true;
  return heard.bytes > exact.bytes ? heard : exact;
}

WordMatch Lexicon::FindMisspelt(std::string_view word) const {
  if (word.size() < kMinMisspelt || word.size() > kMaxMisspelt || word[0] < 'a' || word[0] > 'z') return {};
  if (known_.count(std::string(word)) > 0) return {};
  const std::string plain = WithoutDoubles(word);
  WordMatch best;
  size_t least = 0;
  bool tie = false;
  for (const size_t letter : {static_cast<size_t>(word[0] - 'a'), static_cast<size_t>(word[1] - 'a')}) {
    if (letter >= spellings_.size()) continue;
    for (const Spelling& spelling : spellings_[letter]) {
      const size_t shorter = std::min(spelling.word.size(), word.size());
      const size_t most = shorter >= kTwoMistakes ? 2 : 1;
      const size_t distance = Distance(word, spelling.word, most);
      if (distance == 0 || distance > most) continue;
      // In four letters only neighbours that changed places, or a letter twice.
      if (shorter <= 4) {
        std::string a(word);
        std::string b = spelling.word;
        absl::c_sort(a);
        absl::c_sort(b);
        if (a != b && !(word.size() == b.size() + 1 && word.substr(0, 1) == spelling.word.substr(0, 1) &&
                        word.back() == spelling.word.back()))
          continue;
      }
      // A letter once for twice is the likelier mistake: "apend" is "append" and not "amend".
      const size_t cost = 2 * distance - (plain == WithoutDoubles(spelling.word) ? 1 : 0);
      if (best.bytes != 0 && cost > least) continue;
      const auto* concepts = &entries_[static_cast<size_t>(spelling.entry)];
      tie = best.bytes != 0 && cost == least && *best.concepts != *concepts;
      least = cost;
      best = {word.size(), concepts, true};
    }
  }
  return tie ? WordMatch() : best;
}

}  // namespace yardmaster::rules
