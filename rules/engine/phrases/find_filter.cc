#include "rules/engine/phrases/find_filter.h"

#include "absl/algorithm/container.h"

namespace yardmaster::rules {

int FindFilter::Add(const std::string& pattern, const RE2::Options& options, std::string& error) {
  // What is no pattern is not told to the filter: it would count on.
  if (const RE2 one(pattern, options); !one.ok()) {
    error = one.error();
    return -1;
  }
  int number = -1;
  filter_.Add(pattern, options, &number);
  empty_ = false;
  return number;
}

void FindFilter::Compile() {
  if (empty_) return;
  std::vector<std::string> atoms;
  filter_.Compile(&atoms);
  atoms_ = atoms.size();
  for (size_t i = 0; i < atoms.size(); ++i) {
    uint32_t node = 0;
    for (size_t at = 0; at < atoms[i].size(); ++at) {
      const auto byte = static_cast<unsigned char>(atoms[i][at]);
      uint32_t child = 0;
      if (at == 0) {
        child = first_[byte];
      } else {
        for (const auto& [one, to] : nodes_[node].next) child = one == byte ? to : child;
      }
      if (child == 0) {
        child = static_cast<uint32_t>(nodes_.size());
        nodes_.emplace_back();
        if (at == 0) {
          first_[byte] = child;
        } else {
          nodes_[node].next.emplace_back(byte, child);
        }
      }
      node = child;
    }
    nodes_[node].atom = static_cast<int>(i);
  }
}

std::vector<int> FindFilter::Candidates(std::string_view text) const {
  std::vector<int> out;
  if (empty_) return out;
  std::vector<bool> seen(atoms_, false);
  for (size_t begin = 0; begin < text.size(); ++begin) {
    uint32_t node = first_[static_cast<unsigned char>(text[begin])];
    for (size_t at = begin + 1; node != 0; ++at) {
      if (nodes_[node].atom >= 0) seen[static_cast<size_t>(nodes_[node].atom)] = true;
      if (at == text.size()) break;
      uint32_t child = 0;
      for (const auto& [one, to] : nodes_[node].next) {
        if (one == static_cast<unsigned char>(text[at])) child = to;
      }
      node = child;
    }
  }
  std::vector<int> found;
  for (size_t i = 0; i < atoms_; ++i) {
    if (seen[i]) found.push_back(static_cast<int>(i));
  }
  filter_.AllPotentials(found, &out);
  absl::c_sort(out);
  return out;
}

}  // namespace yardmaster::rules
