#include "services/review/review_run.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/review/operator_files.h"
#include "services/review/pull_meta.h"

namespace yardmaster {
namespace {

// Counts findings of tasks that end in any order, and says of which ones the findings can't be told any more: those
// behind the tasks, all done, that fill the report. What is told is so the same on any number of threads.
class FindingCount {
 public:
  explicit FindingCount(size_t tasks) : counts_(tasks, kOpen) {}

  // Task `index` found so many. False: leave them out.
  bool Add(size_t index, size_t findings) {
    const std::lock_guard lock(mutex_);
    // The task itself was open until now: these are findings of tasks before it.
    const bool room = before_ < kMaxRunFindings;
    counts_[index] = findings;
    while (first_open_ < counts_.size() && counts_[first_open_] != kOpen) before_ += counts_[first_open_++];
    return room;
  }

 private:
  static constexpr size_t kOpen = SIZE_MAX;

  std::mutex mutex_;
  std::vector<size_t> counts_;
  size_t first_open_ = 0;
  size_t before_ = 0;  // findings of tasks before first_open_
};

// One set under one pack.
struct Task {
  const rules::CheckSet* checks = nullptr;
  const RoleTable* roles = nullptr;
  const std::vector<std::string>* only = nullptr;
  const FileSet* set = nullptr;
};

struct Done {
  rules::ReviewResult result;
  size_t left_out = 0;  // findings
  std::vector<rules::SkippedCheck> unreadable;
};

bool HasProfile(const rules::CheckSet& checks, const std::string& profile) {
  return absl::c_any_of(checks.profiles(), [&](const rules::ProfileInfo& info) { return info.id == profile; });
}

bool HasMoment(const rules::CheckSet& checks, const std::string& moment) {
  return absl::c_any_of(checks.moments(), [&](const rules::MomentInfo& info) { return info.id == moment; });
}

// Names of all packs together, for an error.
template <typename List>
std::string Known(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs, const List& list) {
  std::set<std::string> names;
  for (const auto& pack : packs) {
    for (const std::string& name : list(*pack)) names.insert(name);
  }
  return names.empty() ? std::string("nothing: the packs have none") : "one of: " + absl::StrJoin(names, ", ");
}

template <typename Infos>
std::vector<std::string> Ids(const Infos& infos) {
  std::vector<std::string> ids;
  ids.reserve(infos.size());
  for (const auto& info : infos) ids.push_back(info.id);
  return ids;
}

absl::Status CheckNames(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                        const std::vector<ReviewInput>& inputs, const RunOptions& options) {
  const auto any = [&](auto&& has) { return absl::c_any_of(packs, [&](const auto& pack) { return has(*pack); }); };
  if (!options.profile.empty() && !any([&](const auto& pack) { return HasProfile(pack, options.profile); })) {
    return errors::FieldInvalid("profile", Known(packs, [](const auto& pack) { return Ids(pack.profiles()); }));
  }
  if (!options.moment.empty() && !any([&](const auto& pack) { return HasMoment(pack, options.moment); })) {
    return errors::FieldInvalid("moment", Known(packs, [](const auto& pack) { return Ids(pack.moments()); }));
  }
  const auto roles = [](const rules::CheckSet& pack) {
    std::vector<std::string> names;
    for (const rules::RoleInfo& role : pack.roles()) names.push_back(role.role);
    return names;
  };
  for (const ReviewInput& input : inputs) {
    if (input.role.empty()) continue;
    const bool known = any([&](const auto& pack) {
      return absl::c_any_of(pack.roles(), [&](const rules::RoleInfo& role) { return role.role == input.role; });
    });
    if (!known) return errors::FieldInvalid("role", Known(packs, roles));
  }
  return absl::OkStatus();
}

const std::string& PlaceOf(const ReviewInput& input) { return input.place.empty() ? input.path : input.place; }

std::vector<FileSet> OneByOne(std::vector<FileSet> sets) {
  std::vector<FileSet> each;
  for (FileSet& set : sets) {
    for (SetMember& member : set.members) {
      if (member.context) continue;
      FileSet& one = each.emplace_back();
      one.folder = set.folder;
      one.op = set.op;
      one.members.push_back(std::move(member));
    }
  }
  return each;
}

// Files whose role was given are sets of their own; the others go by their paths.
std::vector<FileSet> SetsOf(const rules::CheckSet& checks, const RoleTable& roles,
                            const std::vector<ReviewInput>& inputs) {
  std::vector<std::string> paths;
  std::vector<size_t> origin;
  std::vector<FileSet> sets;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& place = roles.by_operator() ? PlaceOf(inputs[i]) : inputs[i].path;
    if (inputs[i].role.empty()) {
      paths.push_back(place);
      origin.push_back(i);
      continue;
    }
    FileSet& set = sets.emplace_back();
    set.folder = FolderOf(place);
    set.op = StemOf(place);
    set.members.push_back({i, std::string(NameOf(place)), false});
  }
  std::vector<FileSet> grouped = GroupFiles(roles, paths);
  for (FileSet& set : grouped) {
    for (SetMember& member : set.members) {
      member.path = origin[member.path];
      member.context = member.context || inputs[member.path].context;
    }
  }
  // Checks that look at one file only need no more than that, and files then spread over threads.
  // In a change the others tell what was moved.
  const bool changes = absl::c_any_of(inputs, [](const ReviewInput& input) { return input.change.has_value(); });
  if (!roles.by_operator() && !checks.across() && !changes) grouped = OneByOne(std::move(grouped));
  // Beside a file with a given role stands what belongs to the operator that its stem names.
  for (FileSet& set : sets) {
    for (const FileSet& other : grouped) {
      if (other.folder != set.folder || (other.op != set.op && !other.op.empty())) continue;
      for (SetMember member : other.members) {
        member.context = true;
        set.members.push_back(std::move(member));
      }
    }
  }
  for (FileSet& set : grouped) sets.push_back(std::move(set));
  // Sets in which no file is judged are not read.
  std::erase_if(sets, [](const FileSet& set) {
    return absl::c_all_of(set.members, [](const SetMember& member) { return member.context; });
  });
  return sets;
}

// A README or a design of something else: nothing says that an operator lives there.
void SkipLone(std::vector<FileSet>& sets, const std::vector<ReviewInput>& inputs, ReviewReport& report) {
  std::erase_if(sets, [&](const FileSet& set) {
    for (const SetMember& member : set.members) {
      if (!set.lone || member.context) continue;
      // What only the forge knows is a file for checks alone.
      if (inputs[member.path].path.starts_with(kPullFiles)) continue;
      report.skipped.push_back(
          {"*", inputs[member.path].path, "a document on its own is no operator", "", "单独的文档不是算子"});
    }
    return set.lone;
  });
}

// What became of the file, in the paths of the set.
void AddChange(const Task& task, const ReviewInput& input, size_t index, const RunOptions& options,
               rules::ReviewFile& file) {
  using Kind = rules::FileChange::Kind;
  file.untouched = input.untouched;
  file.touched = input.touched;
  file.change = input.change;
  if (!input.change || !options.read_base) return;
  std::string ignored;
  // A copy is new, whatever it was copied from.
  if (input.change->kind != Kind::kAdded && input.change->kind != Kind::kCopied && file.unread.empty()) {
    file.base = options.read_base(index, ignored);
  }
  std::string& former = file.change->former_path;
  const std::string folder = task.set->folder.empty() ? "" : task.set->folder + "/";
  if (former.starts_with(folder)) former = former.substr(folder.size());
}

// The stage that the operator's state file tells, if any check is for it: what no check knows leaves nothing out.
std::optional<int> StageOfSet(const Task& task, const std::vector<rules::ReviewFile>& files) {
  for (const rules::ReviewFile& file : files) {
    if (!task.roles->TellsStage(task.roles->Match(file.path).role)) continue;
    const std::optional<int> stage = StageInState(*task.checks, file.text);
    const bool known = stage.has_value() && absl::c_any_of(task.checks->checks(), [&](const rules::CheckInfo& check) {
                         return absl::c_linear_search(check.stages, *stage);
                       });
    if (known) return stage;
  }
  return std::nullopt;
}

Done RunOne(const Task& task, const std::vector<ReviewInput>& inputs, const ReadInput& read,
            const RunOptions& options) {
  Done done;
  std::vector<rules::ReviewFile> files;
  files.reserve(task.set->members.size());
  size_t bytes = 0;
  for (const SetMember& member : task.set->members) {
    std::string error;
    std::optional<std::string> text = read(member.path, error);
    if (!text.has_value()) {
      if (!member.context) done.unreadable.push_back({"*", inputs[member.path].path, error});
      continue;
    }
    rules::ReviewFile& file = files.emplace_back();
    file.path = member.name;
    bytes += text->size();
    if (bytes > kMaxSetBytes) {
      file.unread = absl::StrCat("the files that are judged together have more than ", kMaxSetBytes / 1024 / 1024,
                                 " MiB; this one was not read");
    } else {
      file.text = *std::move(text);
    }
    file.role = inputs[member.path].role;
    file.context = member.context;
    AddChange(task, inputs[member.path], member.path, options, file);
  }
  rules::ReviewOptions engine;
  engine.profile = HasProfile(*task.checks, options.profile) ? options.profile : std::string();
  engine.stage = options.stage;
  if (!engine.stage.has_value() && options.stage_of_state) engine.stage = StageOfSet(task, files);
  engine.moment = options.moment;
  engine.options = options.options;
  engine.path = task.set->folder;
  engine.op = task.set->op;
  engine.only = *task.only;
  engine.every = options.every;
  engine.tree = options.tree;
  engine.sources = options.sources;
  done.result = rules::Review(*task.checks, std::move(files), engine);
  // The engine speaks of paths within the set.
  const auto outside = [&](const std::string& name) {
    for (const SetMember& member : task.set->members) {
      if (member.name == name) return inputs[member.path].path;
    }
    if (name.empty() || name == "." || name == task.set->folder) {
      return task.set->folder.empty() ? std::string(".") : std::string(task.set->folder);
    }
    return JoinPath(task.set->folder, name);
  };
  // What a rule about the whole set says of a file that is not judged is left to a review of that file.
  std::erase_if(done.result.findings, [&](const rules::Finding& finding) {
    return absl::c_any_of(task.set->members,
                          [&](const SetMember& member) { return member.context && member.name == finding.path; });
  });
  for (rules::Finding& finding : done.result.findings) finding.path = outside(finding.path);
  std::map<std::string, std::vector<uint32_t>> base_lines;
  for (auto& [path, lines] : done.result.base_lines) base_lines[outside(path)] = std::move(lines);
  done.result.base_lines = std::move(base_lines);
  for (rules::SkippedCheck& skipped : done.result.skipped) {
    const bool whole_set = skipped.path.empty() || skipped.path == task.set->folder;
    skipped.path = whole_set ? task.set->folder : outside(skipped.path);
  }
  return done;
}

}  // namespace

bool TakesPart(const rules::CheckInfo& check, std::string_view profile, const std::optional<int>& stage,
               std::string_view moment) {
  const auto has = [](const auto& list, const auto& value) {
    return list.empty() || absl::c_linear_search(list, value);
  };
  return (profile.empty() || has(check.profiles, profile)) && (!stage.has_value() || has(check.stages, *stage)) &&
         (moment.empty() ? !check.own : has(check.moments, moment));
}

absl::StatusOr<ReviewReport> RunReview(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                                       const std::vector<ReviewInput>& inputs, const ReadInput& read,
                                       const RunOptions& options) {
  RETURN_IF_ERROR(CheckNames(packs, inputs, options));

  // 1. What to run over what.
  std::vector<std::vector<FileSet>> sets;
  std::vector<RoleTable> roles;
  std::vector<std::vector<std::string>> only;
  std::vector<Task> tasks;
  sets.reserve(packs.size());
  roles.reserve(packs.size());
  only.reserve(packs.size());
  ReviewReport report;
  for (const std::shared_ptr<const rules::CheckSet>& pack : packs) {
    report.packs.push_back(pack->pack());
    if (report.profile.empty()) {
      report.profile = HasProfile(*pack, options.profile) ? options.profile : pack->default_profile();
    }
    std::vector<std::string>& ids = only.emplace_back(options.only);
    if (!options.moment.empty() && !HasMoment(*pack, options.moment)) continue;
    if (options.named_moment_only) {
      for (const rules::CheckInfo& check : pack->checks()) {
        if (absl::c_linear_search(check.moments, options.moment)) ids.push_back(check.rule);
      }
      if (ids.empty()) continue;
    }
    roles.emplace_back(*pack);
    sets.push_back(SetsOf(*pack, roles.back(), inputs));
    if (options.moment.empty() && !options.options.contains("partial")) SkipLone(sets.back(), inputs, report);
    for (const FileSet& set : sets.back()) tasks.push_back({pack.get(), &roles.back(), &ids, &set});
  }

  // 2. Run it.
  std::vector<Done> done(tasks.size());
  std::atomic<size_t> next{0};
  FindingCount count(tasks.size());
  const auto work = [&] {
    for (size_t i = next.fetch_add(1); i < tasks.size(); i = next.fetch_add(1)) {
      done[i] = RunOne(tasks[i], inputs, read, options);
      if (!count.Add(i, done[i].result.findings.size())) {
        done[i].left_out = done[i].result.findings.size();
        done[i].result.findings = {};
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < std::min(options.jobs, tasks.size()); ++i) helpers.emplace_back(work);
    work();
  }

  // 3. Put it together.
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Problems& problems = done[i].result.problems;
    if (!problems.empty()) return errors::PackInvalid(tasks[i].checks->pack(), problems.front().ToString());
  }
  std::set<std::string> unreadable;
  size_t left_out = 0;
  for (Done& one : done) {
    left_out += one.left_out;
    for (rules::Finding& finding : one.result.findings) {
      if (report.findings.size() < kMaxRunFindings) {
        report.findings.push_back({std::move(finding)});
      } else {
        ++left_out;
      }
    }
    report.base_lines.merge(one.result.base_lines);
    for (rules::SkippedCheck& skipped : one.result.skipped) report.skipped.push_back(std::move(skipped));
    for (rules::SkippedCheck& skipped : one.unreadable) {
      if (unreadable.insert(skipped.path).second) report.skipped.push_back(std::move(skipped));
    }
  }
  report.files = static_cast<size_t>(absl::c_count_if(inputs, [](const ReviewInput& input) { return !input.context; }));
  report.files -= std::min(report.files, unreadable.size());
  if (left_out > 0) {
    rules::Finding finding;
    finding.rule_id = rules::kLimitRule;
    finding.pack = report.packs.empty() ? std::string() : report.packs.front();
    finding.severity = rules::Severity::kBlock;
    finding.pack_severity = "BLOCK";
    finding.path = ".";
    finding.message = absl::StrCat(left_out, " more findings were left out: a run tells ", kMaxRunFindings);
    finding.fingerprint = "0000000000000000";
    report.findings.push_back({std::move(finding)});
  }
  SortFindings(report.findings);
  return report;
}

}  // namespace yardmaster
