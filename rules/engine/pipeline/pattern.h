// Patterns of a profile, compiled, with their groups by name.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_PATTERN_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_PATTERN_H_

#include <re2/re2.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::rules {

class Pattern {
 public:
  // Group → what it matched; groups that took no part are not in it.
  using Groups = std::map<std::string, std::string, std::less<>>;

  Pattern() = default;
  // `error` is set if `text` is no pattern.
  Pattern(std::string_view text, std::string& error);

  bool Matches(std::string_view text) const;
  // The first match anywhere in `text`.
  std::optional<Groups> Find(std::string_view text) const;
  // Whether there is such a group.
  bool HasGroup(std::string_view name) const;
  // Takes every match out of `text`.
  void Erase(std::string& text) const;

 private:
  std::shared_ptr<const re2::RE2> re_;
};

// The group's match; empty if it took no part.
std::string GroupOf(const Pattern::Groups& groups, std::string_view name);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_PATTERN_H_
