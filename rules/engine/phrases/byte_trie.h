// Texts found in a text from any of its bytes on, byte by byte.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_BYTE_TRIE_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_BYTE_TRIE_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// Made for ten thousands of nodes, most with one node behind them: they lie in one piece of memory and name each other
// by their numbers. Node 0 is the root; as a reference it means none.
class ByteTrie {
 public:
  // The entry of `text`, which is the given one where it had none.
  int32_t Insert(std::string_view text, int32_t entry) {
    uint32_t node = 0;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      uint32_t next = Next(node, byte);
      if (next == 0) {
        next = static_cast<uint32_t>(nodes_.size());
        nodes_.push_back({.sibling = node == 0 ? 0 : nodes_[node].child, .byte = byte});
        (node == 0 ? first_[byte] : nodes_[node].child) = next;
      }
      node = next;
    }
    if (nodes_[node].entry < 0) nodes_[node].entry = entry;
    return nodes_[node].entry;
  }

  // Gives back the room that growing left: call it once all texts are in.
  void Trim() { nodes_.shrink_to_fit(); }

  // The node behind `node`; 0 if there is none.
  uint32_t Next(uint32_t node, unsigned char byte) const {
    if (node == 0) return first_[byte];
    uint32_t next = nodes_[node].child;
    while (next != 0 && nodes_[next].byte != byte) next = nodes_[next].sibling;
    return next;
  }

  // The entry of the text that ends at `node`; -1 if none does.
  int32_t Entry(uint32_t node) const { return nodes_[node].entry; }

 private:
  struct Node {
    uint32_t child = 0;    // the first of those behind it
    uint32_t sibling = 0;  // the next of those behind the same one
    int32_t entry = -1;
    unsigned char byte = 0;
  };

  std::vector<Node> nodes_ = {Node()};
  std::array<uint32_t, 256> first_{};  // by byte: the root has too many behind it to go through them
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_BYTE_TRIE_H_
