#include "services/review/progress.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/glob.h"
#include "services/core/status_macros.h"
#include "services/review/report.h"
#include "services/review/review_run.h"

namespace yardmaster {
namespace {

using rules::CheckInfo;

constexpr std::string_view kStageTag = "progress";
constexpr std::string_view kStateTag = "state";

// The stage that a check speaks of, or kProgressSubject.
std::string_view StageOf(const CheckInfo& check) {
  const auto tag = check.tags.find(std::string(kStageTag));
  return tag == check.tags.end() ? std::string_view() : tag->second;
}

bool IsOfProgress(const CheckInfo& check) { return absl::c_linear_search(check.moments, rules::kProgressMoment); }

// Which state a check's finding means; checked when the pack was loaded.
StageState StateOf(const CheckInfo& check) {
  const auto tag = check.tags.find(std::string(kStateTag));
  return tag == check.tags.end() ? StageState::kUnknown : StageStateFrom(tag->second);
}

// Whether the checks that find subjects look at a file.
bool DeclaresSubjects(const rules::CheckSet& pack, std::string_view path) {
  return absl::c_any_of(pack.checks(), [&](const CheckInfo& check) {
    return IsOfProgress(check) && StageOf(check) == rules::kProgressSubject &&
           absl::c_any_of(check.files, [&](const std::string& glob) { return MatchesGlob(glob, path); });
  });
}

// The worst of what is said of a stage; what is said in the same state is told together.
void Tell(StageState state, const rules::Finding& finding, bool first, StageProgress& stage) {
  if (!first && state == stage.state) {
    absl::StrAppend(&stage.text, "; ", finding.message);
    if (!stage.next.empty()) absl::StrAppend(&stage.next, " ", finding.fix);
  } else if (first || state > stage.state) {
    stage.state = state;
    stage.text = finding.message;
    const bool to_do = state == StageState::kMissing || state == StageState::kInconsistent;
    stage.next = to_do ? finding.fix : "";
  }
}

}  // namespace

std::string_view StageStateName(StageState state) { return rules::kProgressStates.at(static_cast<size_t>(state)); }

StageState StageStateFrom(std::string_view name) {
  const auto found = absl::c_find(rules::kProgressStates, name);
  if (found == rules::kProgressStates.end()) return StageState::kUnknown;
  return static_cast<StageState>(found - rules::kProgressStates.begin());
}

std::vector<SubjectProgress> Added(std::vector<SubjectProgress> now, const std::vector<SubjectProgress>& before) {
  std::erase_if(now, [&](const SubjectProgress& subject) {
    return absl::c_any_of(before, [&](const SubjectProgress& other) { return other.name == subject.name; });
  });
  return now;
}

const StageProgress* SubjectProgress::Next() const {
  const auto found = absl::c_find_if(stages, [](const StageProgress& stage) { return !stage.next.empty(); });
  return found == stages.end() ? nullptr : &*found;
}

bool TouchesProgress(const rules::CheckSet& pack, const std::vector<std::string>& paths) {
  return !pack.progress().empty() &&
         absl::c_any_of(paths, [&](const std::string& path) { return DeclaresSubjects(pack, path); });
}

absl::StatusOr<std::vector<SubjectProgress>> ProgressOf(const std::shared_ptr<const rules::CheckSet>& pack,
                                                        rules::ReviewTree& tree, size_t jobs,
                                                        rules::SourceCache* sources) {
  std::vector<SubjectProgress> subjects;
  if (pack->progress().empty()) return subjects;

  // 1. The files in which subjects are declared; what lies around them is read as far as checks ask.
  std::vector<ReviewInput> inputs;
  for (const std::string& path : tree.Paths(rules::TreeSide::kHead)) {
    if (DeclaresSubjects(*pack, path)) inputs.emplace_back().path = path;
  }
  RunOptions options;
  options.moment = std::string(rules::kProgressMoment);
  options.named_moment_only = true;
  options.jobs = jobs;
  options.tree = &tree;
  options.sources = sources;
  const ReadInput read = [&](size_t index, std::string& error) {
    std::optional<std::string> text = tree.Read(rules::TreeSide::kHead, inputs[index].path);
    if (!text.has_value()) error = "it can't be read";
    return text;
  };
  ASSIGN_OR_RETURN(const ReviewReport report, RunReview({pack}, inputs, read, options));

  // 2. What was found, by the place where the subject stands.
  using Place = std::pair<std::string, uint32_t>;
  std::map<Place, SubjectProgress> by_place;
  std::set<std::pair<Place, std::string_view>> told;
  const auto check_of = [&](const rules::Finding& finding) {
    return pack->Find(rules::RuleAndPart(finding.rule_id, finding.part));
  };
  for (const ReportedFinding& one : report.findings) {
    const CheckInfo* const check = check_of(one.finding);
    if (check == nullptr || StageOf(*check) != rules::kProgressSubject) continue;
    SubjectProgress& subject = by_place[{one.finding.path, one.finding.line}];
    subject.name = one.finding.message;
    subject.path = one.finding.path;
    subject.line = one.finding.line;
    for (const rules::StageInfo& stage : pack->progress()) {
      StageProgress& progress = subject.stages.emplace_back();
      progress.id = stage.id;
      progress.title = stage.title;
    }
  }
  for (const ReportedFinding& one : report.findings) {
    const CheckInfo* const check = check_of(one.finding);
    const Place place = {one.finding.path, one.finding.line};
    const auto subject = by_place.find(place);
    if (check == nullptr || subject == by_place.end()) continue;
    for (StageProgress& stage : subject->second.stages) {
      if (stage.id != StageOf(*check)) continue;
      const bool first = told.emplace(place, StageOf(*check)).second;
      Tell(StateOf(*check), one.finding, first, stage);
    }
  }
  for (auto& [place, subject] : by_place) subjects.push_back(std::move(subject));
  absl::c_stable_sort(subjects, [](const SubjectProgress& a, const SubjectProgress& b) { return a.name < b.name; });
  return subjects;
}

}  // namespace yardmaster
