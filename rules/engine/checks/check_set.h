// The review checks of a pack, compiled. rules/checks.md is the page for people who write checks.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_CHECK_SET_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_CHECK_SET_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pack/pack_loader.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Severities as every pack shares them, the worst first.
enum class Severity : uint8_t { kBlock, kMajor, kMinor, kInfo };

// "block", "major", "minor", "info".
std::string_view SeverityName(Severity severity);

// How options, repositories' files and fingerprints name a rule or a part of one: "OL48", "OL48.cube".
std::string RuleAndPart(std::string_view rule, std::string_view part);

// What lists and reports say about a check. Texts are as written, placeholders included.
struct CheckInfo {
  std::string id;    // of this check: "RULE", or "RULE.PART" where a rule has several
  std::string rule;  // what findings, lists and options cite
  std::string part;  // of the rule; empty: the check that has the rule's name
  std::string pack;  // the pack that wrote it: the one reviewed for, or one that it extends
  std::string title;
  std::string description;
  Severity severity = Severity::kBlock;
  std::string pack_severity;  // "S0", "MAJOR", …
  std::string message;
  std::string message_zh;
  std::string fix;
  std::string fix_zh;
  std::vector<std::string> roles;     // empty: any file
  std::vector<std::string> files;     // globs; empty: any file
  std::vector<int> stages;            // empty: every stage
  std::vector<std::string> moments;   // empty: every moment
  std::vector<std::string> profiles;  // empty: every profile
  std::vector<std::string> needs;     // roles without which it is skipped
  std::map<std::string, std::string> tags;
  std::string source;
  std::string written;  // the JSON object as it stands in the file, indented by two
  std::string file;     // where it stands
  uint32_t line = 0;
  bool own = false;  // runs only at its moments
  size_t good_cases = 0;
  size_t bad_cases = 0;
  bool query = false;   // by a tree-sitter query
  bool first = false;   // under some profile it tells only the first finding of a file, a function or a set
  bool of_set = false;  // under every profile about the set or a list, so that it judges no file by itself
};

// What only a person can judge about a change that touches certain files.
struct ReminderInfo {
  std::string id;
  std::string pack;  // that wrote it
  std::string text;
  std::vector<std::string> files;      // globs
  std::vector<std::string> not_files;  // globs of what does not count
  int risk = 1;                        // 1 to 5, the most is lost at 5
  std::string source;
};

struct ProfileInfo {
  std::string id;
  std::string title;
};

// When checks run. Those that are only for moments with `own` run when one of these is asked for, and not when none is.
struct MomentInfo {
  std::string id;
  std::string title;
  bool own = false;
};

// A step on which people work one after the other. Checks of the moment kProgressMoment say of each subject how far it
// is: their tags are "progress", the id of a stage or kProgressSubject, and "state", one of kProgressStates.
struct StageInfo {
  std::string id;
  std::string title;
  std::string title_zh;  // empty: there is none
};
inline constexpr std::string_view kProgressMoment = "progress";
inline constexpr std::string_view kProgressSubject = "subject";
inline constexpr std::array<std::string_view, 4> kProgressStates = {"there", "unknown", "missing", "inconsistent"};

struct RoleInfo {
  std::string role;
  std::string path;     // RE2 over the whole path
  std::string example;  // a path that matches
};

// Immutable; safe to use from many threads at once.
class CheckSet {
 public:
  struct Impl;  // checks/compiled_checks.h
  explicit CheckSet(std::unique_ptr<const Impl> impl);
  ~CheckSet();
  CheckSet(const CheckSet&) = delete;
  CheckSet& operator=(const CheckSet&) = delete;

  const std::string& pack() const;
  const std::vector<CheckInfo>& checks() const;  // in the order of packs, files and positions
  const CheckInfo* Find(std::string_view id) const;
  const std::vector<ProfileInfo>& profiles() const;
  const std::string& default_profile() const;  // empty: the pack has no profiles
  const std::vector<MomentInfo>& moments() const;
  const std::vector<StageInfo>& progress() const;  // in the order of work
  const std::vector<RoleInfo>& roles() const;
  const std::vector<ReminderInfo>& reminders() const;  // in the order of packs, files and positions
  // A named list of the pack; nullptr if there is none.
  const std::vector<std::string>* List(std::string_view name) const;
  // Whether some check looks at other files than the one that it judges: such a set must be reviewed as a whole.
  bool across() const;

  // Whether every check that judges files names their roles. Files without one are then seen as text only.
  bool only_roles() const;

  // Whether some check is a tree-sitter query, and compiles all of them: else the first review that needs them does,
  // and others wait for it.
  bool queries() const;
  void CompileQueries() const;

  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<const Impl> impl_;
};

// Compiles the checks of a pack and of everything that it extends: checks/*.json. A pack without such files has an
// empty set. Adds every problem with file, pointer and line, and returns nullptr if there was any. Pure: looks at
// nothing but `files`.
// kReviews leaves out what reviews never look at, which is most of the text: the cases, which are not even parsed, so
// mistakes in them are not reported, and CheckInfo::written. What a check asks for and says is then compiled
// when it first runs: what is wrong there is told by that review.
enum class ChecksFor { kEverything, kReviews };
std::shared_ptr<const CheckSet> LoadChecks(const PackFiles& files, std::string_view pack, Problems& problems,
                                           ChecksFor purpose = ChecksFor::kEverything);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_CHECK_SET_H_
