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

namespace yardmaster::rules {

// A word found in a text.
struct WordMatch {
  size_t bytes = 0;                                 // 0: there is none
  const std::vector<uint16_t>* concepts = nullptr;  // what it stands for, in order
  bool misspelt = false;
};

class Lexicon {
 public:
  Lexicon();

  // Characters that sound alike: in words of two characters and more, each stands for the first of its list.
  void AddHomophones(std::string_view characters);
  // Words that are no misspelling of another one.
  void AddKnown(std::string_view word) { known_.emplace(word); }
  // `word` in lower case; a space in it stands for any white space. False if it was there with other concepts. All
  // homophones come first.
  bool Add(std::string_view word, std::vector<uint16_t> concepts);

  // The longest word that begins at `pos`. Words of ASCII letters have ends of words around them.
  WordMatch Find(std::string_view text, size_t pos) const;
  // The word that the ASCII word `word` is a misspelling of.
  WordMatch FindMisspelt(std::string_view word) const;

 private:
  // Ten thousands of them, most with one node behind them: they lie in one piece of memory and name each other by
  // their numbers. Node 0 is the beginning; as a reference it means none.
  struct Node {
    uint32_t child = 0;    // the first of those behind it
    uint32_t sibling = 0;  // the next of those behind the same one
    int32_t entry = -1;
    unsigned char byte = 0;
  };
  struct Trie {
    std::vector<Node> nodes = {Node()};
    std::array<uint32_t, 256> first{};  // by byte: the beginning has too many behind it to go through them

    // The node behind `node`; 0 if there is none.
    uint32_t Next(uint32_t node, unsigned char byte) const {
      if (node == 0) return first[byte];
      uint32_t next = nodes[node].child;
      while (next != 0 && nodes[next].byte != byte) next = nodes[next].sibling;
      return next;
    }
  };
  struct Spelling {
    std::string word;
    int32_t entry = 0;
  };

  // The entry of the word, which is the given one where it had none.
  static int32_t Insert(Trie& trie, std::string_view word, int32_t entry);
  WordMatch Walk(const Trie& trie, std::string_view text, size_t pos, size_t& bytes) const;
  std::string Sound(std::string_view word) const;

  Trie words_;
  Trie sounds_;
  std::vector<std::vector<uint16_t>> entries_;
  std::unordered_map<char32_t, char32_t> homophones_;
  std::array<std::vector<Spelling>, 26> spellings_;  // single ASCII words, by first letter
  std::unordered_set<std::string> known_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_LEXICON_H_
