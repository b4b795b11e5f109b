#include "rules/engine/pipeline/pattern.h"

#include <utility>
#include <vector>

namespace yardmaster::rules {
namespace {

constexpr int64_t kPipelinePatternMemory = 4 << 20;

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Pattern::Pattern(std::string_view text, std::string& error) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kPipelinePatternMemory);
  auto re = std::make_shared<const re2::RE2>(Piece(text), options);
  if (re->ok()) {
    re_ = std::move(re);
  } else {
    error = re->error();
  }
}

bool Pattern::Matches(std::string_view text) const {
  return re_ != nullptr && re2::RE2::PartialMatch(Piece(text), *re_);
}

std::optional<Pattern::Groups> Pattern::Find(std::string_view text) const {
  if (re_ == nullptr) return std::nullopt;
  std::vector<re2::StringPiece> found(static_cast<size_t>(re_->NumberOfCapturingGroups()) + 1);
  if (!re_->Match(Piece(text), 0, text.size(), re2::RE2::UNANCHORED, found.data(), static_cast<int>(found.size()))) {
    return std::nullopt;
  }
  Groups groups;
  for (const auto& [name, number] : re_->NamedCapturingGroups()) {
    const re2::StringPiece& piece = found[static_cast<size_t>(number)];
    if (piece.data() != nullptr) groups[name] = std::string(piece.data(), piece.size());
  }
  return groups;
}

bool Pattern::HasGroup(std::string_view name) const {
  return re_ != nullptr && re_->NamedCapturingGroups().contains(std::string(name));
}

void Pattern::Erase(std::string& text) const {
  if (re_ != nullptr) re2::RE2::GlobalReplace(&text, *re_, "");
}

std::string GroupOf(const Pattern::Groups& groups, std::string_view name) {
  const auto it = groups.find(name);
  return it == groups.end() ? std::string() : it->second;
}

}  // namespace yardmaster::rules
