#include "services/review/diff_review.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/checks/line_diff.h"
#include "rules/engine/code/source_file.h"
#include "services/core/lines.h"
#include "services/core/status_macros.h"
#include "services/review/file_sets.h"
#include "services/review/finding_match.h"
#include "services/review/operator_files.h"
#include "services/review/pull_tree.h"
#include "services/review/reminders.h"
#include "services/review/review_run.h"

namespace yardmaster {
namespace {

using rules::CheckSet;
using Kind = ChangedFile::Kind;

constexpr uint32_t kKindOfMode = 0170000;
constexpr uint32_t kRegularFile = 0100000;

// How the trees of a change are looked at: the head against its base, or one of them by itself.
enum class View : uint8_t { kChange, kBase, kHead };

// A file of the change with both texts, as far as there are any.
struct TouchedFile {
  const ChangedFile* file = nullptr;
  std::optional<std::string> head;
  std::optional<std::string> base;
  rules::TouchedLines lines;  // once the change was looked at
  size_t binary_bytes = 0;    // at head; 0: not binary, or it can't be read

  const std::string& base_path() const { return file->former_path.empty() ? file->path : file->former_path; }
  // What was there before, for comparing: a copy is new, whatever it was copied from.
  bool was_there() const { return file->kind != Kind::kAdded && file->kind != Kind::kCopied; }
};

// The trees of a change for checks; both sides are base where a review looks at base alone.
class ChangeTree final : public rules::ReviewTree {
 public:
  ChangeTree(Change& change, std::mutex& mutex, bool base_only)
      : change_(change), mutex_(mutex), base_only_(base_only) {}

  const std::vector<std::string>& Paths(rules::TreeSide side) override {
    static const std::vector<std::string> kNone;
    const std::lock_guard lock(mutex_);
    const auto paths = change_.Paths(SideOf(side));
    return paths.ok() && *paths != nullptr ? **paths : kNone;
  }
  void Prefetch(rules::TreeSide side, const std::vector<std::string>& paths) override {
    const std::lock_guard lock(mutex_);
    // What could not be fetched is told by Read.
    change_.Prefetch(SideOf(side), paths).IgnoreError();
  }
  std::optional<std::string> Read(rules::TreeSide side, const std::string& path) override {
    const std::lock_guard lock(mutex_);
    auto text = change_.Read(SideOf(side), path, rules::kMaxSourceBytes);
    return text.ok() ? *std::move(text) : std::nullopt;
  }

 private:
  ChangeSide SideOf(rules::TreeSide side) const {
    return base_only_ || side == rules::TreeSide::kBase ? ChangeSide::kBase : ChangeSide::kHead;
  }

  Change& change_;
  std::mutex& mutex_;
  const bool base_only_;
};

rules::FileChange AsFileChange(const ChangedFile& file, size_t binary_bytes) {
  rules::FileChange change;
  change.kind = static_cast<rules::FileChange::Kind>(file.kind);
  change.former_path = file.former_path;
  change.mode = file.mode;
  change.former_mode = file.former_mode;
  change.binary = file.binary;
  change.binary_bytes = binary_bytes;
  return change;
}

// Whether there is text to read: no link, no submodule, nothing binary.
bool HasText(uint32_t mode, const ChangedFile& file) {
  return !file.binary && (mode == 0 || (mode & kKindOfMode) == kRegularFile);
}

// Those of both versions.
std::vector<std::string> TouchedPaths(const Change& change) {
  std::vector<std::string> paths;
  for (const ChangedFile& file : change.files()) {
    paths.push_back(file.path);
    if (file.kind == Kind::kRenamed) paths.push_back(file.former_path);
  }
  return paths;
}

// Of the findings, each once.
std::vector<std::string> RulesOf(const std::vector<rules::Finding>& findings) {
  std::set<std::string> ids;
  for (const rules::Finding& finding : findings) ids.insert(finding.rule_id);
  return {ids.begin(), ids.end()};
}

// One review of a change: what was read, and what was not.
class ChangeReview {
 public:
  ChangeReview(const std::vector<std::shared_ptr<const CheckSet>>& packs, Change& change,
               const DiffReviewOptions& options)
      : packs_(packs), change_(change), options_(options) {}

  absl::StatusOr<ReviewReport> Run() {
    RETURN_IF_ERROR(ReadFiles());
    ReviewReport report;
    std::vector<rules::Finding> base;
    std::vector<rules::Finding> head;
    for (const auto& pack : packs_) {
      ASSIGN_OR_RETURN(ReviewReport at_head, RunOver(pack, View::kChange, options_.only));
      NoteLines(at_head.base_lines);
      report.packs.push_back(pack->pack());
      if (report.profile.empty()) report.profile = at_head.profile;
      for (ReportedFinding& one : at_head.findings) head.push_back(std::move(one.finding));
      absl::c_move(at_head.skipped, std::back_inserter(report.skipped));
      report.base_lines.merge(at_head.base_lines);
      SkipWithoutMeta(*pack, report);
      ASSIGN_OR_RETURN(const ReviewReport at_base, RunOver(pack, View::kBase, options_.only));
      for (const ReportedFinding& one : at_base.findings) base.push_back(one.finding);
    }
    report.files =
        static_cast<size_t>(absl::c_count_if(touched_, [](const TouchedFile& one) { return one.head.has_value(); }));
    rules::ApplyReviewSettings(options_.settings, options_.today, head, report.skipped);
    Settle(base);

    for (rules::Finding& finding : head) report.findings.push_back({std::move(finding)});
    VersionMap versions;
    versions.base_lines = report.base_lines;
    for (const TouchedFile& one : touched_) {
      if (one.was_there() && !one.file->former_path.empty()) {
        versions.base_path[one.file->path] = one.file->former_path;
      }
    }
    const std::vector<rules::Finding> left = CompareVersions(base, versions, report.findings);
    for (const std::string& path : CutOffAtBase(base, versions)) {
      Unseen(path, "its version before the change was not looked at to the end: what stands on its lines counts as old",
             "没有检视完改动前的版本，这些行上的问题按原有问题计");
    }
    RETURN_IF_ERROR(AddFixed(left, versions, report));
    absl::c_move(skipped_, std::back_inserter(report.skipped));
    report.complete = skipped_.empty() && change_.complete() && listed_ &&
                      absl::c_none_of(report.findings, [](const ReportedFinding& one) {
                        return one.status == FindingStatus::kNew && one.finding.rule_id == rules::kLimitRule;
                      });
    FoldLimits(report.findings);
    SortFindings(report.findings);
    if (options_.only.empty()) RETURN_IF_ERROR(AddProgress(report));
    return report;
  }

  // StandingAtHead, of the whole change.
  absl::StatusOr<std::vector<rules::Finding>> Standing(const std::vector<std::string>& ids) {
    RETURN_IF_ERROR(ReadFiles());
    return StandingOf(ids);
  }

 private:
  // What is said of the findings is not told again.
  void Settle(std::vector<rules::Finding>& findings) const {
    std::vector<rules::SkippedCheck> told_of_head;
    rules::ApplyReviewSettings(options_.settings, options_.today, findings, told_of_head);
  }

  absl::StatusOr<std::vector<rules::Finding>> StandingOf(const std::vector<std::string>& ids) {
    std::vector<rules::Finding> standing;
    for (const auto& pack : packs_) {
      ASSIGN_OR_RETURN(const ReviewReport at_head, RunOver(pack, View::kHead, ids));
      for (const ReportedFinding& one : at_head.findings) standing.push_back(one.finding);
    }
    Settle(standing);
    return standing;
  }

  // Of findings of base that are none of those at head: most of them are gone, others stand on lines of which a rule
  // tells nothing, since the change did not add them.
  absl::Status AddFixed(const std::vector<rules::Finding>& left, const VersionMap& versions, ReviewReport& report) {
    if (left.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::vector<rules::Finding> all, StandingOf(RulesOf(left)));
    // What is told has its like at base, or none.
    const auto place_of = [](const rules::Finding& one) {
      return std::tie(one.rule_id, one.part, one.path, one.line, one.column, one.message);
    };
    std::set<decltype(place_of(std::declval<const rules::Finding&>()))> told;
    for (const ReportedFinding& one : report.findings) told.insert(place_of(one.finding));
    std::vector<ReportedFinding> standing;
    for (const rules::Finding& one : all) {
      if (!told.contains(place_of(one))) standing.push_back({one});
    }
    std::set<std::pair<std::string, std::string>> first;
    for (rules::Finding& gone : CompareVersions(left, versions, standing)) {
      std::string id = rules::RuleAndPart(gone.rule_id, gone.part);
      gone.path = versions.HeadPath(gone.path);
      if (TellsFirst(id) && !first.emplace(std::move(id), gone.path).second) continue;
      report.findings.push_back({std::move(gone), FindingStatus::kFixed});
    }
    return absl::OkStatus();
  }

  // Whether a check, by its id, tells the first finding only.
  bool TellsFirst(std::string_view id) const {
    return absl::c_any_of(packs_, [&](const auto& pack) {
      return absl::c_any_of(pack->checks(),
                            [&](const rules::CheckInfo& check) { return check.first && check.id == id; });
    });
  }

  // How far that is what the change adds, where a pack knows its stages. Who asks for certain rules wants nothing else.
  absl::Status AddProgress(ReviewReport& report) {
    if (!has_tree_) return absl::OkStatus();
    const std::vector<std::string> touched = TouchedPaths(change_);
    std::mutex mutex;
    for (const auto& pack : packs_) {
      if (!TouchesProgress(*pack, touched)) continue;
      ChangeTree head(change_, mutex, /*base_only=*/false);
      ChangeTree base(change_, mutex, /*base_only=*/true);
      PullTree head_of_pull(head, options_.meta.value_or(PullMeta()));
      ASSIGN_OR_RETURN(std::vector<SubjectProgress> now, ProgressOf(pack, head_of_pull, options_.jobs, Sources()));
      ASSIGN_OR_RETURN(const std::vector<SubjectProgress> before, ProgressOf(pack, base, options_.jobs, Sources()));
      absl::c_move(Added(std::move(now), before), std::back_inserter(report.progress));
    }
    return absl::OkStatus();
  }

  rules::SourceCache* Sources() { return options_.sources == nullptr ? &sources_ : options_.sources; }

  void Unseen(std::string path, std::string reason, std::string reason_zh) {
    skipped_.push_back({"*", std::move(path), std::move(reason), "", std::move(reason_zh)});
  }

  absl::Status ReadFiles() {
    size_t bytes = 0;
    const std::vector<ChangedFile>& files = change_.files();
    for (const ChangedFile& file : files) {
      if (touched_.size() == kMaxDiffFiles) {
        const size_t more = files.size() - kMaxDiffFiles;
        Unseen("", absl::StrCat(more, " more files: only the first ", kMaxDiffFiles, " of a change are read"),
               absl::StrCat("还有 ", more, " 个文件：一次改动只读取前 ", kMaxDiffFiles, " 个"));
        break;
      }
      TouchedFile& one = touched_.emplace_back();
      one.file = &file;
      const bool known = absl::c_any_of(packs_, [&](const auto& pack) {
        return RolesOf(*pack).LooksAt(file.path) || RolesOf(*pack).LooksAt(one.base_path());
      });
      if (!known) continue;
      if (bytes > kMaxDiffBytes) {
        constexpr size_t kMost = kMaxDiffBytes / 1024 / 1024;
        Unseen(file.path, absl::StrCat("the files before it have more than ", kMost, " MiB; it was not read"),
               absl::StrCat("它之前的文件已超过 ", kMost, " MiB，没有读取"));
        continue;
      }
      if (file.kind != Kind::kRemoved && file.binary) {
        const auto content = change_.Read(ChangeSide::kHead, file.path, rules::kMaxSourceBytes);
        if (content.ok()) one.binary_bytes = content->value_or("").size();
      }
      if (file.kind != Kind::kRemoved && HasText(file.mode, file)) {
        ASSIGN_OR_RETURN(one.head, change_.Read(ChangeSide::kHead, file.path, rules::kMaxSourceBytes));
        bytes += one.head.value_or("").size();
      }
      if (one.was_there() && HasText(file.former_mode, file)) {
        ASSIGN_OR_RETURN(one.base, change_.Read(ChangeSide::kBase, one.base_path(), rules::kMaxSourceBytes));
        bytes += one.base.value_or("").size();
      }
    }
    if (!change_.complete())
      Unseen("", "the forge does not show all files of this change", "代码平台没有列出这次改动的全部文件");
    // Where the source has no list, checks that look around are skipped.
    ASSIGN_OR_RETURN(const std::vector<std::string>* paths, change_.Paths(ChangeSide::kHead));
    has_tree_ = paths != nullptr;
    return absl::OkStatus();
  }

  // Which lines the change touches.
  void NoteLines(const std::map<std::string, std::vector<uint32_t>>& base_lines) {
    for (TouchedFile& one : touched_) {
      const auto lines = base_lines.find(one.file->path);
      if (lines == base_lines.end() || !one.lines.head.empty()) continue;
      one.lines = rules::TouchedBy(lines->second, LinesOf(one.base.value_or("")).size());
    }
  }

  // All of it where nothing is known.
  static std::vector<bool> TouchedOf(const TouchedFile& one, bool at_head) {
    if (!one.lines.head.empty()) return at_head ? one.lines.head : one.lines.base;
    return std::vector<bool>(LinesOf((at_head ? one.head : one.base).value_or("")).size() + 1, true);
  }

  const RoleTable& RolesOf(const CheckSet& pack) {
    const auto [it, added] = roles_.try_emplace(&pack, nullptr);
    if (added) it->second = std::make_unique<RoleTable>(pack);
    return *it->second;
  }

  // What stands beside touched files in the folders where the files of one operator may lie.
  absl::StatusOr<std::vector<std::string>> Neighbours(const CheckSet& pack, ChangeSide side,
                                                      const std::set<std::string>& own) {
    std::vector<std::string> found;
    const RoleTable& roles = RolesOf(pack);
    if (!roles.by_operator()) return found;
    ASSIGN_OR_RETURN(const std::vector<std::string>* all, change_.Paths(side));
    if (all == nullptr) return found;
    std::set<std::string_view> folders;
    for (const std::string& path : own) {
      folders.insert(FolderOf(path));
      folders.insert(FolderOf(FolderOf(path)));
    }
    for (const std::string& path : *all) {
      const std::string_view folder = FolderOf(path);
      const bool near = folders.contains(folder) || folders.contains(FolderOf(folder));
      if (near && !own.contains(path) && roles.LooksAt(path)) found.push_back(path);
    }
    return found;
  }

  void AddMeta(std::vector<ReviewInput>& inputs, std::vector<std::string>& texts) const {
    if (!options_.meta) return;
    for (PullFile& file : PullFilesOf(*options_.meta)) {
      ReviewInput& input = inputs.emplace_back();
      input.path = std::move(file.path);
      input.change.emplace().kind = rules::FileChange::Kind::kAdded;
      texts.push_back(std::move(file.text));
    }
  }

  // Under these rules, or all if there are none.
  absl::StatusOr<ReviewReport> RunOver(const std::shared_ptr<const CheckSet>& pack, View view,
                                       const std::vector<std::string>& only) {
    const bool at_head = view != View::kBase;
    const ChangeSide side = at_head ? ChangeSide::kHead : ChangeSide::kBase;
    // 1. What is judged, and what is looked at besides.
    std::vector<ReviewInput> inputs;
    std::vector<const TouchedFile*> origin;
    std::vector<std::string> texts;
    std::set<std::string> own;
    for (const TouchedFile& one : touched_) {
      if (!at_head && !one.was_there()) continue;
      ReviewInput& input = inputs.emplace_back();
      input.path = at_head ? one.file->path : one.base_path();
      if (view == View::kChange) {
        input.change = AsFileChange(*one.file, one.binary_bytes);
      } else {
        input.touched = TouchedOf(one, at_head);
      }
      own.insert(input.path);
      origin.push_back(&one);
      texts.push_back((at_head ? one.head : one.base).value_or(""));
    }
    if (view != View::kChange) {
      // Without a text nothing can be found.
      for (size_t i = inputs.size(); i-- > 0;) {
        if ((at_head ? origin[i]->head : origin[i]->base).has_value()) continue;
        const auto at = static_cast<std::ptrdiff_t>(i);
        inputs.erase(inputs.begin() + at);
        texts.erase(texts.begin() + at);
        origin.erase(origin.begin() + at);
      }
    }
    if (at_head) AddMeta(inputs, texts);
    const size_t judged = inputs.size();
    ASSIGN_OR_RETURN(const std::vector<std::string> near, Neighbours(*pack, side, own));
    if (!near.empty()) RETURN_IF_ERROR(change_.Prefetch(side, near));
    for (const std::string& path : near) {
      ReviewInput& input = inputs.emplace_back();
      input.path = path;
      input.context = true;
      input.untouched = at_head;
    }

    // 2. The review.
    std::mutex mutex;
    ChangeTree tree(change_, mutex, !at_head);
    RunOptions run;
    run.profile = options_.profile.empty() ? std::string(options_.settings.ProfileOf(pack->pack())) : options_.profile;
    run.stage = options_.stage;
    run.only = only;
    run.every = view != View::kChange;
    run.jobs = options_.jobs;
    run.sources = Sources();
    run.tree = has_tree_ ? &tree : nullptr;
    if (!has_tree_) run.options["partial"] = "yes";
    if (view == View::kChange) {
      run.read_base = [&](size_t index, std::string&) {
        return index < origin.size() ? origin[index]->base : std::nullopt;
      };
    }
    const ReadInput read = [&](size_t index, std::string& error) -> std::optional<std::string> {
      if (index < judged) return texts[index];
      std::optional<std::string> text = tree.Read(rules::TreeSide::kHead, inputs[index].path);
      if (!text) error = "it can't be read";
      return text;
    };
    ASSIGN_OR_RETURN(ReviewReport report, RunReview({pack}, inputs, read, run));
    if (!has_tree_ && view == View::kChange) {
      listed_ = listed_ && absl::c_none_of(report.skipped, [](const rules::SkippedCheck& skipped) {
                  return skipped.reason == rules::kNeedsTree;
                });
    }
    return report;
  }

  // Checks about what only the forge knows.
  void SkipWithoutMeta(const CheckSet& pack, ReviewReport& report) const {
    for (const rules::CheckInfo& check : pack.checks()) {
      const std::vector<std::string> unknown = UnknownFor(check, options_.meta);
      if (unknown.empty()) continue;
      report.skipped.push_back({check.rule, "",
                                absl::StrCat("needs ", absl::StrJoin(unknown, " or "), " of the pull request"),
                                check.part, absl::StrCat("需要 PR 的 ", absl::StrJoin(unknown, " 或 "))});
    }
  }

  const std::vector<std::shared_ptr<const CheckSet>>& packs_;
  Change& change_;
  const DiffReviewOptions& options_;
  std::vector<TouchedFile> touched_;
  std::vector<rules::SkippedCheck> skipped_;  // what was not seen
  std::map<const CheckSet*, std::unique_ptr<RoleTable>> roles_;
  rules::SourceCache sources_{kMaxDiffBytes};
  bool has_tree_ = false;
  bool listed_ = true;  // no check missed the list of files
};

}  // namespace

absl::StatusOr<ReviewReport> ReviewChange(const std::vector<std::shared_ptr<const CheckSet>>& packs, Change& change,
                                          const DiffReviewOptions& options) {
  ASSIGN_OR_RETURN(ReviewReport report, ChangeReview(packs, change, options).Run());
  // Who asks for certain rules wants nothing else.
  if (options.only.empty()) report.checklist = RemindersFor(packs, TouchedPaths(change));
  return report;
}

absl::StatusOr<std::vector<rules::Finding>> StandingAtHead(const std::vector<std::shared_ptr<const CheckSet>>& packs,
                                                           Change& change, const DiffReviewOptions& options,
                                                           const std::vector<std::string>& ids) {
  return ChangeReview(packs, change, options).Standing(ids);
}

}  // namespace yardmaster
