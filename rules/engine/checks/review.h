// Runs compiled checks over files: text in, findings out.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_REVIEW_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_REVIEW_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/file_change.h"
#include "rules/engine/checks/review_tree.h"
#include "rules/engine/code/source_cache.h"
#include "rules/engine/code/source_file.h"

namespace yardmaster::rules {

// Rules of our own, in every pack.
inline constexpr std::string_view kParseRule = "YM-PARSE";  // a syntax error (major)
inline constexpr std::string_view kLimitRule = "YM-LIMIT";  // something was too large, too deep or too slow (block)

// Why checks are skipped that look for files elsewhere, where nothing is known of them.
inline constexpr std::string_view kNeedsTree = "needs the tree around the file";

// One file of what is reviewed together (an operator directory, a tree, the files of a pull request).
struct ReviewFile {
  std::string path;  // relative to the operator, tree or repository; "/" between folders
  std::string text;
  std::optional<std::string> base;     // before the change; nullopt: there is no base, and every line counts as added
  std::string role;                    // empty: by the path
  bool context = false;                // conditions see it, but it is not judged itself
  std::string unread{};                // why there is no text: the limit that was passed; empty: there is one
  std::optional<FileChange> change{};  // what became of it; nullopt: nothing is compared, or it was not touched
  bool untouched = false;              // the same before the change: no line counts as added
  // One version of a file that a change has on both sides, judged by itself: these lines (from 1) count as added, and
  // the file is not new. nullopt: not so.
  std::optional<std::vector<bool>> touched{};
};

// Facts of all files that are judged together; files beyond it are not read, which is a finding of the limit.
inline constexpr size_t kMaxSetRows = 2 * kMaxSourceRows;

struct ReviewOptions {
  std::string profile;                         // empty: the pack's default
  std::optional<int> stage;                    // nullopt: checks of all stages
  std::string moment;                          // empty: checks of all moments
  std::map<std::string, std::string> options;  // what conditions see as "option"
  std::string path;                            // folder of the set, for messages
  std::string op;  // name that roles' groups would give; empty: from the files. With a role override and without this
                   // it is the stem of that file.
  std::vector<std::string> only;                // rules, or ids of checks; empty: all
  std::string check;                            // id of the one check that runs; empty: all
  bool every = false;                           // all findings, also of checks that tell the first ones ("once")
  SourceCache* sources = nullptr;               // files that were read before; null: none
  ReviewTree* tree = nullptr;                   // what lies around the files; null: nothing is known of it
  std::chrono::milliseconds parse_limit{2000};  // one file; of the processor's time
  std::chrono::milliseconds check_limit{2000};  // all checks, for each file that is judged; of the processor's time
};

// A piece of the file to be replaced: lines and columns as in Finding.
struct FindingEdit {
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;
  std::string text;

  friend bool operator==(const FindingEdit&, const FindingEdit&) = default;
};

struct Finding {
  std::string rule_id;
  std::string part;  // of the rule; empty: the check that has the rule's name
  std::string pack;
  Severity severity = Severity::kBlock;
  std::string pack_severity;
  std::string path;
  // Lines from 1, columns from 1 in code points; the end is behind the last character. 0: the whole file.
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;
  std::string message;
  std::string message_zh;  // empty: there is none
  std::string fix;
  std::string fix_zh;
  std::vector<FindingEdit> edits;  // that carry out the fix; empty if the check has none
  // fingerprint.h: stays the same when lines move, code is formatted anew and the file is renamed.
  std::string fingerprint;
  // The same without the count: equal for findings that point at equal code in functions of the same name.
  uint64_t anchor = 0;

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct SkippedCheck {
  std::string rule_id;
  std::string path;  // of the set, or of the file where only that was skipped
  std::string reason;
  std::string part{};       // of the rule, as in Finding
  std::string reason_zh{};  // empty: there is none
};

struct ReviewResult {
  std::vector<Finding> findings;  // by path, line, column and rule
  std::vector<SkippedCheck> skipped;
  size_t files = 0;  // judged
  // Files of a change, by path: the line at base of each line (from 1; the first element is unused), 0 where it was
  // added.
  std::map<std::string, std::vector<uint32_t>> base_lines;
  // What was found wrong only now in checks of a set loaded for reviews; they did not run.
  Problems problems;
};

// Judges all files that are not `context`. Never throws; whatever the files hold ends in findings.
ReviewResult Review(const CheckSet& checks, std::vector<ReviewFile> files, const ReviewOptions& options);

// What came of one good or bad case of a check.
struct CheckCaseResult {
  std::string rule_id;
  std::string name;  // "OL01/bad/0", with the profile if there are several: "OL01/bad/0@strict"
  bool passed = false;
  std::string message;  // why it failed
};

// Runs all cases of all checks, in order.
std::vector<CheckCaseResult> RunCheckCases(const CheckSet& checks);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_REVIEW_H_
