// The words of a pack's phrases, found in a text: the longest one at a place wins, whichever language it is of; words
// that are misspelt are found by what they sound like or by how little they differ.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_LEXICON_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_LEXICON_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rules/engine/phrases/byte_trie.h"

namespace yardmaster::rules {

// A word found in a text.
struct WordMatch {
  size_t bytes = 0;                                 // 0: there is none
  const std::vector<uint16_t>* concepts = nullptr;  // what it stands for, in order
  bool misspelt = false;
};

class Lexicon {
 public:
  // Characters that sound alike: in words of two characters and more, each stands for the first of its list.
  void AddHomophones(std::string_view characters);
  // Words that are no misspelling of another one.
  void AddKnown(std::string_view word) { known_.emplace(word); }
  // `word` in lower case; a space in it stands for any white space. False if it was there with other concepts. All
  // homophones come first.
  bool Add(std::string_view word, std::vector<uint16_t> concepts);

  // Gives back the room that growing left: call it once all words are in.
  void Trim();

  // The longest word that begins at `pos`. Words of ASCII letters have ends of words around them.
  WordMatch Find(std::string_view text, size_t pos) const;
  // The word that the ASCII word `word` is a misspelling of.
  WordMatch FindMisspelt(std::string_view word) const;

 private:
  struct Spelling {
    std::string word;
    int32_t entry = 0;
  };

  WordMatch Walk(const ByteTrie& trie, std::string_view text, size_t pos) const;
  std::string Sound(std::string_view word) const;

  ByteTrie words_;
  ByteTrie sounds_;
  std::vector<std::vector<uint16_t>> entries_;
  std::unordered_map<char32_t, char32_t> homophones_;
  std::array<std::vector<Spelling>, 26> spellings_;  // single ASCII words, by first letter
  std::unordered_set<std::string> known_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_LEXICON_H_
