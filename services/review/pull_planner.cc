#include "services/review/pull_planner.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "services/core/limits.h"
#include "services/core/reasons.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/core/utf8.h"
#include "services/intake/outcome.h"
#include "services/review/review_run.h"

namespace yardmaster {
namespace {

constexpr std::string_view kSummary = "review-summary";
constexpr std::string_view kUnread = "*";
// What a table can show of one cell.
constexpr size_t kMaxCellBytes = 300;
// Of a detailed review: all findings, the text of one rule, those of all rules. A comment has 60,000 characters.
constexpr size_t kMaxDetailedBytes = size_t{32} * 1024;
constexpr size_t kMaxRationaleBytes = 1'000;
constexpr size_t kMaxRationalesBytes = size_t{16} * 1024;

// Text from files and packs in a cell of a table: markup has no effect, nobody is notified.
std::string Cell(std::string_view text, size_t max_bytes = kMaxCellBytes) {
  std::string out;
  const std::string_view kept = CutUtf8(text, max_bytes);
  for (const char c : kept) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '@' || c == '#') {
      // An invisible character behind it: neither a mention nor a link.
      out += c;
      out += "\xe2\x80\x8b";
    } else if (std::string_view("\\`*_[]|!~").find(c) != std::string_view::npos) {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    }
  }
  if (kept.size() < text.size()) out += "…";
  return out;
}

bool OnChangedLine(const rules::Finding& finding, const PullReviewText& about) {
  const auto lines = about.changed.find(finding.path);
  // A finding about a whole file, and a file whose patch the forge left out, count as changed.
  if (lines == about.changed.end() || finding.line == 0) return true;
  const uint32_t end = std::max(finding.line, finding.end_line);
  const auto first = lines->second.lower_bound(finding.line);
  return first != lines->second.end() && *first <= end;
}

std::string Row(const rules::Finding& finding) {
  const std::string place =
      finding.line == 0 ? Cell(finding.path) : absl::StrCat(Cell(finding.path), ":", finding.line);
  std::string what = Cell(finding.message);
  if (!finding.fix.empty()) absl::StrAppend(&what, " — ", Cell(finding.fix));
  const std::string_view severity = rules::SeverityName(finding.severity);
  return absl::StrCat("| ", std::string(severity), " | ", place, " | ", Cell(finding.rule_id), " | ", what, " |\n");
}

// What the rules of the findings are about, each once, as their packs say it.
std::string Rationale(const ReviewReport& report, const std::vector<std::shared_ptr<const rules::CheckSet>>& packs) {
  std::set<std::pair<std::string, std::string>> found;
  for (const ReportedFinding& reported : report.findings) {
    if (reported.status != FindingStatus::kFixed) found.emplace(reported.finding.pack, reported.finding.rule_id);
  }
  std::string rows;
  for (const auto& [pack, rule] : found) {
    const rules::CheckInfo* info = nullptr;
    for (const auto& set : packs) {
      for (const rules::CheckInfo& check : set->checks()) {
        // Several checks may make up a rule: the one that explains it.
        if (check.rule == rule && check.pack == pack && (info == nullptr || info->description.empty())) info = &check;
      }
    }
    if (info == nullptr) continue;
    std::string row = absl::StrCat("* ", Cell(rule), " (", Cell(info->pack_severity), "): ", Cell(info->title));
    if (!info->description.empty()) absl::StrAppend(&row, " — ", Cell(info->description, kMaxRationaleBytes));
    if (!info->fix.empty()) absl::StrAppend(&row, "<br>Hint: ", Cell(info->fix, kMaxRationaleBytes));
    if (!info->source.empty()) absl::StrAppend(&row, "<br>Source: ", Cell(info->source));
    if (rows.size() + row.size() > kMaxRationalesBytes) {
      rows += "* …\n";
      break;
    }
    absl::StrAppend(&rows, row, "\n");
  }
  return rows.empty() ? rows : absl::StrCat("\n**Why: the rules of these findings**\n\n", rows);
}

constexpr const char* kHead = "| severity | place | rule | what |\n|---|---|---|---|\n";

bool IsPython(std::string_view path) { return path.ends_with(".py") || path.ends_with(".pyi"); }

// Reads the changed files through the view; what is not read is told.
struct Files {
  std::vector<ReviewInput> inputs;
  std::vector<std::string> texts;
  std::vector<rules::SkippedCheck> skipped;
};

absl::StatusOr<Files> ReadFiles(SubjectView& view, const ForgePull& pull, const ForgePullFileList& changed) {
  Files files;
  size_t bytes = 0;
  size_t python = 0;
  for (const ForgePullFile& file : changed.files) {
    if (file.status == ForgeFileStatus::kRemoved || !IsPython(file.path)) continue;
    if (++python > kMaxPullReviewFiles) continue;
    const auto skip = [&](std::string reason) {
      files.skipped.push_back({std::string(kUnread), file.path, std::move(reason)});
    };
    if (bytes >= kMaxPullReviewBytes) {
      skip(absl::StrCat("the files before it are more than ", kMaxPullReviewBytes, " bytes together"));
      continue;
    }
    absl::StatusOr<std::optional<std::string>> text = view.File("", file.path, pull.head_sha);
    // A fork's commits need not be in the repository itself.
    if (text.ok() && !text->has_value() && !pull.head_repository.empty()) {
      text = view.File(pull.head_repository, file.path, pull.head_sha);
    }
    if (!text.ok() && !Outcome::OfForge(text.status()).failed()) return text.status();
    if (!text.ok() || !text->has_value()) {
      skip(text.ok() ? "it is not there at the head of the pull request"
                     : absl::StrCat("it can't be read: ", text.status().message()));
      continue;
    }
    if ((*text)->size() > kMaxPullReviewFileBytes) {
      skip(absl::StrCat("it has ", (*text)->size(), " bytes; files above ", kMaxPullReviewFileBytes, " are not read"));
      continue;
    }
    bytes += (*text)->size();
    files.inputs.push_back({.path = file.path, .role = {}, .place = {}, .context = false});
    files.texts.push_back(**std::move(text));
  }
  if (python > kMaxPullReviewFiles) {
    files.skipped.push_back({std::string(kUnread), absl::StrCat(python - kMaxPullReviewFiles, " more Python files"),
                             absl::StrCat("only the first ", kMaxPullReviewFiles, " are read")});
  }
  if (!changed.complete) {
    files.skipped.push_back(
        {std::string(kUnread), "further files", "the forge does not show all files of this pull request"});
  }
  return files;
}

// What a pull request is reviewed under.
struct ReviewScope {
  std::vector<std::shared_ptr<const rules::CheckSet>> packs;  // those without any check are left out
  const rules::ReviewSettings& settings;
  std::string today;  // "YYYY-MM-DD" in UTC, for exemptions that end
};

// Every pack under the profile that the repository wants of it.
absl::StatusOr<ReviewReport> ReviewUnder(const ReviewScope& scope, const Files& files) {
  const ReadInput read = [&](size_t index, std::string&) { return std::optional<std::string>(files.texts[index]); };
  ReviewReport report;
  std::vector<rules::Finding> findings;
  for (const auto& pack : scope.packs) {
    RunOptions options;
    options.profile = std::string(scope.settings.ProfileOf(pack->pack()));
    ASSIGN_OR_RETURN(ReviewReport one, RunReview({pack}, files.inputs, read, options));
    report.packs.push_back(one.profile.empty() ? pack->pack() : absl::StrCat(pack->pack(), " (", one.profile, ")"));
    report.files = std::max(report.files, one.files);
    for (ReportedFinding& found : one.findings) findings.push_back(std::move(found.finding));
    for (rules::SkippedCheck& skipped : one.skipped) report.skipped.push_back(std::move(skipped));
  }
  if (scope.packs.empty()) {
    report.skipped.push_back({std::string(kUnread), "", "the packs of this repository have no checks of code"});
  }
  rules::ApplyReviewSettings(scope.settings, scope.today, findings, report.skipped);
  report.findings.reserve(findings.size());
  for (rules::Finding& finding : findings) report.findings.push_back({std::move(finding)});
  SortFindings(report.findings);
  return report;
}

}  // namespace

std::set<uint32_t> ChangedLines(std::string_view patch) {
  std::set<uint32_t> lines;
  uint32_t line = 0;
  bool inside = false;
  while (!patch.empty()) {
    const size_t end = std::min(patch.find('\n'), patch.size());
    const std::string_view text = patch.substr(0, end);
    patch.remove_prefix(std::min(end + 1, patch.size()));
    if (text.starts_with("@@")) {
      const size_t plus = text.find(" +");
      inside = false;
      if (plus == std::string_view::npos) continue;
      const std::string_view number = text.substr(plus + 2);
      inside = std::from_chars(number.data(), number.data() + number.size(), line).ec == std::errc();
    } else if (!inside) {
      continue;
    } else if (text.starts_with('+')) {
      lines.insert(line++);
    } else if (!text.starts_with('-') && !text.starts_with('\\')) {
      ++line;
    }
  }
  return lines;
}

std::string PullReviewCounts(const ReviewReport& report) {
  static constexpr std::array<const char*, 4> kNames = {"block", "major", "minor", "info"};
  const std::array<size_t, 4> counts = report.Counts();
  std::string out = absl::StrCat(report.files, report.files == 1 ? " file" : " files");
  bool any = false;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    any = true;
    absl::StrAppend(&out, ", ", counts[i], " ", kNames[i]);
  }
  return any ? out : out + ", no findings";
}

std::string PullReviewComment(const ReviewReport& report, const PullReviewText& about) {
  const std::array<size_t, 4> counts = report.Counts();
  std::string out = absl::StrCat("### Review of `", about.head.substr(0, 12), "`\n\n");
  absl::StrAppend(&out, "| files | block | major | minor | info |\n|---|---|---|---|---|\n| ", report.files, " | ",
                  counts[0], " | ", counts[1], " | ", counts[2], " | ", counts[3], " |\n\n");
  if (!report.packs.empty()) {
    absl::StrAppend(&out, "Packs: ", absl::StrJoin(report.packs, ", "), ".\n\n");
  }
  // The lines that this pull request changes come first: the others were there before.
  std::vector<const rules::Finding*> changed;
  std::vector<const rules::Finding*> others;
  for (const ReportedFinding& reported : report.findings) {
    if (reported.status == FindingStatus::kFixed) continue;
    (OnChangedLine(reported.finding, about) ? changed : others).push_back(&reported.finding);
  }
  const auto worst_first = [](const rules::Finding* a, const rules::Finding* b) { return a->severity < b->severity; };
  absl::c_stable_sort(changed, worst_first);
  absl::c_stable_sort(others, worst_first);
  size_t shown = 0;
  const auto table = [&](const std::vector<const rules::Finding*>& findings) {
    std::string rows;
    for (const rules::Finding* finding : findings) {
      std::string row = Row(*finding);
      if (about.detailed ? out.size() + rows.size() + row.size() > kMaxDetailedBytes : shown == kMaxPullFindingsShown) {
        break;
      }
      rows += row;
      ++shown;
    }
    return rows.empty() ? rows : kHead + rows;
  };
  if (changed.empty() && others.empty()) out += "No findings.\n";
  if (!changed.empty()) absl::StrAppend(&out, "**On changed lines: ", changed.size(), "**\n\n", table(changed), "\n");
  if (!others.empty()) {
    const std::string rows = table(others);
    absl::StrAppend(&out, "<details><summary>On other lines of the changed files: ", others.size(), "</summary>\n\n",
                    rows, "\n</details>\n");
  }
  if (const size_t all = changed.size() + others.size(); all > shown) {
    absl::StrAppend(&out, "\nOnly the first ", shown, " of ", all, " findings are shown.\n");
  }
  if (about.detailed) out += Rationale(report, about.packs);
  if (!report.skipped.empty()) {
    // Files one by one; checks by why they were skipped.
    std::string rows;
    size_t shown_files = 0;
    size_t more_files = 0;
    std::map<std::string, std::set<std::string>> checks;
    for (const rules::SkippedCheck& skipped : report.skipped) {
      if (skipped.rule_id != kUnread) {
        checks[skipped.reason].insert(skipped.rule_id);
      } else if (shown_files++ < kMaxPullFindingsShown) {
        absl::StrAppend(&rows, "* ", skipped.path.empty() ? "" : Cell(skipped.path) + ": ", Cell(skipped.reason), "\n");
      } else {
        ++more_files;
      }
    }
    if (more_files > 0) absl::StrAppend(&rows, "* and ", more_files, " more files\n");
    for (const auto& [reason, rule_ids] : checks) {
      absl::StrAppend(&rows, "* ", Cell(reason), ": ", Cell(absl::StrJoin(rule_ids, ", ")), "\n");
    }
    absl::StrAppend(&out, "\n<details><summary>Not looked at</summary>\n\n", rows, "\n</details>\n");
  }
  return out;
}

bool PullReviewPlanner::Handles(v1::SubjectKind kind, const rules::PackModel&) const {
  return kind == v1::SUBJECT_KIND_PULL_REQUEST;
}

TriggerResult PullReviewPlanner::TriggerFor(const RoutedEvent&, const rules::PackModel&,
                                            const std::vector<std::string>*) const {
  return {Trigger::kNone, reasons::kNoTrigger};
}

std::string_view PullReviewPlanner::SkipReason(const PlanInput&) const { return {}; }

std::string PullReviewPlanner::Digest(const PlanInput& input) const {
  const absl::StatusOr<const ForgePull*> pull = input.view.Pull();
  // Nobody knows: like nothing that was seen before.
  return pull.ok() ? ShortDigest("review " + (*pull)->head_sha) : ShortDigest("review of " + input.event.id());
}

absl::Status PullReviewPlanner::Plan(const PlanInput& input, v1::Plan& plan) const {
  ASSIGN_OR_RETURN(const ForgePull* pull, input.view.Pull());
  ASSIGN_OR_RETURN(const ForgePullFileList* changed, input.view.PullFiles());
  ASSIGN_OR_RETURN(Files files, ReadFiles(input.view, *pull, *changed));

  ReviewScope scope{
      {}, input.choice.review, absl::FormatTime("%Y-%m-%d", absl::FromChrono(input.now), absl::UTCTimeZone())};
  // The pack that was asked for, else those that the repository uses.
  std::vector<std::string> names = {input.asked.pack};
  if (input.asked.pack.empty()) names = input.choice.packs;
  const v1::Subject& subject = input.snapshot.subject();
  const RepositoryConfig* repository = config_.FindRepository(subject.forge(), subject.repository());
  if (names.empty() && repository != nullptr) names = repository->packs;
  const std::shared_ptr<const PackSet> current = packs_();
  for (const std::string& name : names) {
    std::shared_ptr<const rules::CheckSet> set = current->FindChecks(name);
    if (set != nullptr && !set->checks().empty()) scope.packs.push_back(std::move(set));
  }
  ASSIGN_OR_RETURN(ReviewReport report, ReviewUnder(scope, files));
  for (rules::SkippedCheck& skipped : files.skipped) report.skipped.push_back(std::move(skipped));

  PullReviewText about;
  about.head = pull->head_sha;
  about.detailed = input.asked.detailed;
  about.packs = scope.packs;
  for (const ForgePullFile& file : changed->files) {
    if (file.patch.has_value()) about.changed[file.path] = ChangedLines(*file.patch);
  }
  *plan.mutable_subject() = input.snapshot.subject();
  plan.set_pack(input.pack->model().name);
  plan.set_pack_revision(input.pack->model().revision);
  plan.set_mode(input.mode);
  plan.set_input_digest(ShortDigest(about.head));
  v1::AnswerComment& comment = *plan.add_actions()->mutable_answer_comment();
  comment.set_name(std::string(kSummary));
  comment.set_body(PullReviewComment(report, about));
  v1::StepOutcome& step = *plan.mutable_explanation()->add_steps();
  step.set_id("review");
  step.set_taken(true);
  step.set_why(PullReviewCounts(report));
  return absl::OkStatus();
}

}  // namespace yardmaster
