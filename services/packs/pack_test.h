// Runs the cases that packs ship and tells which rules they cover.
#ifndef YARDMASTER_SERVICES_PACKS_PACK_TEST_H_
#define YARDMASTER_SERVICES_PACKS_PACK_TEST_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/compiled_pack.h"
#include "rules/engine/phrases/phrase_set.h"
#include "rules/engine/pipeline/profile.h"

namespace yardmaster {

// Asked between the parts of long work; anything but OK ends it and becomes its result. Empty: never asked.
using KeepGoing = std::function<absl::Status()>;

// A case that did not come out as its pack says.
struct FailedCase {
  std::string case_id;
  std::string file;  // relative to the packs folder
  uint32_t line = 0;
  std::vector<std::string> differences;  // what was expected and what came out
};

struct PackTest {
  std::string pack;
  size_t cases = 0;
  // Rules (signals, suppressors, steps) that the pack defines itself; inherited ones are tested where they are written.
  size_t rules = 0;
  // Of these, rules that fired in at least one passing case that lists them in "rules".
  size_t rules_covered = 0;
  std::vector<std::string> uncovered;  // the others, in the pack's order
  // Of `rules`, checks that use a function of the checks' language that no other rule of any pack uses.
  size_t rules_with_own_function = 0;          // that no other rule of any pack uses
  size_t rules_with_own_function_in_pack = 0;  // that no other rule of the pack uses
  std::vector<FailedCase> failures;            // in the pack's order
};

// Decides every case of the pack and compares. A pack without cases has none and covers nothing. RESOURCE_EXHAUSTED if
// a set of patterns failed.
absl::StatusOr<PackTest> TestPack(const rules::CompiledPack& pack, const KeepGoing& keep_going = nullptr);

// Adds the good and bad cases of the checks that the pack defines itself to `result`. A check is a rule; it is covered
// if all of its cases pass, at least one good and one bad one among them. `others` are the checks of the other packs.
void TestChecks(const rules::CheckSet& checks, const std::vector<std::shared_ptr<const rules::CheckSet>>& others,
                PackTest& result);

// Adds the cases of the pack's own phrases, and its rules and options, to `result`. A rule is covered if a passing case
// made use of it.
void TestPhrases(const rules::PhraseSet& phrases, PackTest& result);

// Adds the cases of the pack's own profile to `result`. Its rules are the ways in which logs tell failures; one is
// covered if a passing case's report has a failure of it.
void TestPipeline(const rules::PipelineProfile& profile, PackTest& result);

// All packs together.
struct PackTestTotals {
  size_t packs = 0;
  size_t cases = 0;
  size_t failed = 0;
  size_t rules = 0;
  size_t rules_covered = 0;

  void Add(const PackTest& result);
  // Whole percent, rounded down so that 100 means all; 100 if there is no rule.
  unsigned CoveragePercent() const;
  // "N cases in M packs, K failed, C % of rules covered": what scripts read.
  std::string Line() const;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_PACK_TEST_H_
