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
  atom_count_ = atoms.size();
  for (size_t i = 0; i < atoms.size(); ++i) atoms_.Insert(atoms[i], static_cast<int32_t>(i));
}

std::vector<int> FindFilter::Candidates(std::string_view text) const {
  std::vector<int> out;
  if (empty_) return out;
  std::vector<bool> seen(atom_count_, false);
  for (size_t begin = 0; begin < text.size(); ++begin) {
    uint32_t node = 0;
    for (size_t at = begin; at < text.size(); ++at) {
      node = atoms_.Next(node, static_cast<unsigned char>(text[at]));
      if (node == 0) break;
      if (const int32_t atom = atoms_.Entry(node); atom >= 0) seen[static_cast<size_t>(atom)] = true;
    }
  }
  std::vector<int> found;
  for (size_t i = 0; i < atom_count_; ++i) {
    if (seen[i]) found.push_back(static_cast<int>(i));
  }
  filter_.AllPotentials(found, &out);
  absl::c_sort(out);
  return out;
}

}  // namespace yardmaster::rules
