#include "services/review/review_comment.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/short_commit.h"
#include "services/review/sarif.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxPathBytes = 300;
// Longer paths have no link: an address is up to three times as long.
constexpr size_t kMaxLinkedPathBytes = 1'000;
constexpr size_t kMaxMessageBytes = 500;
constexpr size_t kMaxInlineTextBytes = 4'000;
constexpr size_t kMaxPacksBytes = 400;
// What the frame of a section takes at most: its title, its end, and the line that tells how much is left out.
constexpr size_t kFrameBytes = 256;
// Lists of so many entries stay open; longer ones that are no news are collapsed.
constexpr size_t kMaxOpenEntries = 10;
constexpr std::string_view kEveryRule = "*";
constexpr std::string_view kHowToSilence =
    "\nA rule is silenced for this pull request by a comment `/ignore RULE [path] reason`, for the repository by an "
    "entry under `exemptions` in its `yardmaster.json`.\n";

bool IsStillFinding(const v1::ReviewFinding& finding) { return finding.change() == v1::FINDING_CHANGE_STILL; }

// From 0, the worst.
size_t SeverityRank(v1::FindingSeverity severity) {
  return severity >= v1::FINDING_SEVERITY_BLOCK && severity <= v1::FINDING_SEVERITY_INFO
             ? static_cast<size_t>(severity - v1::FINDING_SEVERITY_BLOCK)
             : 0;
}

std::string_view SeverityWord(v1::FindingSeverity severity) {
  return rules::SeverityName(static_cast<rules::Severity>(SeverityRank(severity)));
}

std::string ShownSha(std::string_view sha) { return EchoCode(ShortCommit(sha)); }

std::string ShownRule(const v1::ReviewFinding& finding) {
  return EchoText(rules::RuleAndPart(finding.rule_id(), finding.part()));
}

// Where a finding is, as a link to the head if there is an address.
std::string FindingPlace(const v1::ReviewFinding& finding, const v1::Review& review,
                         const std::string& repository_url) {
  const std::string line = finding.line() == 0 ? "" : absl::StrCat(":", finding.line());
  std::string place = EchoCode(absl::StrCat(finding.path(), line), kMaxPathBytes);
  if (repository_url.empty() || place.empty() || finding.path().size() > kMaxLinkedPathBytes) return place;
  // Markdown ends an address at a bracket; "@" must never stand alone.
  const std::string path = absl::StrReplaceAll(UriOfPath(absl::StrCat(review.head(), "/", finding.path())),
                                               {{"(", "%28"}, {")", "%29"}, {"@", "%40"}});
  const std::string anchor = finding.line() == 0 ? "" : absl::StrCat("#L", finding.line());
  return absl::StrCat("[", place, "](", repository_url, "/blob/", path, anchor, ")");
}

std::string FindingText(const v1::ReviewFinding& finding, size_t max_bytes) {
  const std::string hint = EchoText(finding.fix_hint(), max_bytes);
  return absl::StrCat(ShownRule(finding), ": ", EchoText(finding.message(), max_bytes), hint.empty() ? "" : " — ",
                      hint);
}

struct Section {
  std::string title;
  std::string noun;  // of what is left out, in the plural
  bool collapsed = false;
};

// A comment that grows section by section and never passes its limit.
class CommentText {
 public:
  // `sections`: how many may follow, at most.
  CommentText(std::string head, size_t sections) : text_(std::move(head)), sections_(sections) {}

  // As many rows as fit; empty ones are no rows.
  template <typename Items, typename Row>
  void Add(const Section& section, const Items& items, const Row& row) {
    const size_t reserved = kHowToSilence.size() + kFrameBytes * sections_--;
    const auto all = static_cast<size_t>(items.size());
    if (all == 0) return;
    const std::string title = absl::StrCat(section.title, ": ", all);
    text_ += section.collapsed ? absl::StrCat("\n<details><summary>", title, "</summary>\n\n")
                               : absl::StrCat("\n**", title, "**\n\n");
    size_t shown = 0;
    for (const auto& item : items) {
      const std::string entry = row(item);
      if (text_.size() + entry.size() + reserved > kMaxReviewCommentBytes) break;
      text_ += entry;
      ++shown;
    }
    if (shown < all) {
      absl::StrAppend(&text_, "* and ", all - shown, " more ", section.noun, " that do not fit here\n");
    }
    if (section.collapsed) text_ += "\n</details>\n";
  }

  std::string Finish() && { return absl::StrCat(text_, Abs(kHowToSilence)); }

 private:
  std::string text_;
  size_t sections_;
};

// What a finding is known by from one head to the next.
using FindingNames = std::set<std::pair<std::string_view, std::string_view>>;

FindingNames OpenFindings(const v1::Review& review) {
  FindingNames names;
  for (const v1::ReviewFinding& finding : review.findings()) {
    if (!IsFixedFinding(finding)) names.emplace(finding.fingerprint(), finding.path());
  }
  return names;
}

size_t CountMissing(const FindingNames& from, const FindingNames& in) {
  return static_cast<size_t>(absl::c_count_if(from, [&](const auto& name) { return !in.contains(name); }));
}

std::string CommentHead(const v1::Review& review, const v1::Review* previous) {
  const ReviewFindingCounts counts = CountFindings(review);
  std::string head = absl::StrCat("### Review of ", ShownSha(review.head()), ": ", ReviewCountsText(review), "\n\n");
  absl::StrAppend(&head, review.files(), review.files() == 1 ? " file" : " files", ", compared with ",
                  review.merge_base().empty() ? "an unknown base" : ShownSha(review.merge_base()));
  if (review.source() == "forge") head += ", read from the forge's answers as git could not be reached";
  absl::StrAppend(&head, ". Packs: ", EchoText(absl::StrJoin(review.packs(), ", "), kMaxPacksBytes), ".\n");
  if (counts.AllFresh() == 0 && counts.still == 0) head += "\nNo findings.\n";
  if (previous != nullptr && previous->head() != review.head()) {
    const FindingNames now = OpenFindings(review);
    const FindingNames before = OpenFindings(*previous);
    absl::StrAppend(&head, "\nSince ", ShownSha(previous->head()), ": ", CountMissing(now, before), " came, ",
                    CountMissing(before, now), " went.\n");
  }
  return head;
}

// The checks of the rules that were violated, one for each rule, as their packs explain them.
std::vector<const rules::CheckInfo*> ExplainedRules(const v1::Review& review,
                                                    const std::vector<std::shared_ptr<const rules::CheckSet>>& packs) {
  std::set<std::pair<std::string_view, std::string_view>> found;
  for (const v1::ReviewFinding& finding : review.findings()) {
    if (!IsFixedFinding(finding)) found.emplace(finding.pack(), finding.rule_id());
  }
  std::map<std::pair<std::string_view, std::string_view>, const rules::CheckInfo*> explained;
  for (const auto& set : packs) {
    for (const rules::CheckInfo& check : set->checks()) {
      const std::pair<std::string_view, std::string_view> rule(check.pack, check.rule);
      if (!found.contains(rule)) continue;
      // Several checks may make up a rule: the one that explains it.
      const rules::CheckInfo*& info = explained[rule];
      if (info == nullptr || info->description.empty()) info = &check;
    }
  }
  std::vector<const rules::CheckInfo*> out;
  out.reserve(explained.size());
  for (const auto& [rule, info] : explained) out.push_back(info);
  return out;
}

std::string RuleRow(const rules::CheckInfo* info) {
  std::string row = absl::StrCat("* ", EchoText(info->rule), " (", EchoText(info->pack_severity),
                                 "): ", EchoText(info->title, kMaxMessageBytes));
  const auto add = [&row](std::string_view name, const std::string& text) {
    if (!text.empty()) absl::StrAppend(&row, Abs(name), EchoText(text, 2 * kMaxMessageBytes));
  };
  add(" — ", info->description);
  add(" Hint: ", info->fix);
  add(" Source: ", info->source);
  return row + "\n";
}

// What was not looked at: files one by one, checks by why they were not made.
std::vector<std::string> SkippedRows(const v1::Review& review) {
  std::vector<std::string> rows;
  std::map<std::string_view, std::set<std::string>> checks;
  for (const v1::SkippedReviewCheck& skipped : review.skipped()) {
    if (skipped.rule_id() != kEveryRule) {
      checks[skipped.reason()].insert(rules::RuleAndPart(skipped.rule_id(), skipped.part()));
    } else {
      rows.push_back(absl::StrCat("* ", EchoCode(skipped.path(), kMaxPathBytes), skipped.path().empty() ? "" : ": ",
                                  EchoText(skipped.reason(), kMaxMessageBytes), "\n"));
    }
  }
  for (const auto& [reason, rule_ids] : checks) {
    rows.push_back(absl::StrCat("* ", EchoText(reason, kMaxMessageBytes), ": ",
                                EchoText(absl::StrJoin(rule_ids, ", "), 2 * kMaxMessageBytes), "\n"));
  }
  return rows;
}

}  // namespace

bool IsNewFinding(const v1::ReviewFinding& finding) { return !IsStillFinding(finding) && !IsFixedFinding(finding); }

bool IsFixedFinding(const v1::ReviewFinding& finding) { return finding.change() == v1::FINDING_CHANGE_FIXED; }

ReviewFindingCounts CountFindings(const v1::Review& review) {
  ReviewFindingCounts counts;
  for (const v1::ReviewFinding& finding : review.findings()) {
    if (IsFixedFinding(finding)) {
      ++counts.fixed;
    } else if (IsStillFinding(finding)) {
      ++counts.still;
    } else {
      ++counts.fresh[SeverityRank(finding.severity())];
    }
  }
  return counts;
}

std::string ReviewCountsText(const v1::Review& review) {
  const ReviewFindingCounts counts = CountFindings(review);
  return absl::StrCat(counts.AllFresh(), " new, ", counts.still, " still, ", counts.fixed, " fixed",
                      review.complete() ? "" : " (not everything could be looked at)");
}

std::vector<const v1::ReviewFinding*> FindingsBySeverity(const v1::Review& review,
                                                         bool (*wanted)(const v1::ReviewFinding&)) {
  std::vector<const v1::ReviewFinding*> found;
  for (const v1::ReviewFinding& finding : review.findings()) {
    if (wanted(finding)) found.push_back(&finding);
  }
  absl::c_stable_sort(found, [](const v1::ReviewFinding* a, const v1::ReviewFinding* b) {
    const auto order = [](const v1::ReviewFinding& finding) {
      return std::make_tuple(SeverityRank(finding.severity()), std::string_view(finding.path()), finding.line());
    };
    return order(*a) < order(*b);
  });
  return found;
}

std::string ReviewComment(const v1::Review& review, const ReviewCommentOptions& options) {
  const auto open_row = [&](const v1::ReviewFinding* finding) {
    return absl::StrCat("* **", Abs(SeverityWord(finding->severity())), "** ",
                        FindingPlace(*finding, review, options.repository_url), " ",
                        FindingText(*finding, kMaxMessageBytes), "\n");
  };
  const auto fixed_row = [](const v1::ReviewFinding* finding) {
    const std::string path = EchoCode(finding->path(), kMaxPathBytes);
    return absl::StrCat("* ~~", path, path.empty() ? "" : " ", ShownRule(*finding), ": ",
                        EchoText(finding->message(), kMaxMessageBytes), "~~\n");
  };
  const auto reminder_row = [](const v1::ReviewReminder& reminder) {
    return absl::StrCat("- [ ] ", EchoText(reminder.text(), kMaxMessageBytes), reminder.path().empty() ? "" : " ",
                        EchoCode(reminder.path(), kMaxPathBytes), " (", EchoText(reminder.rule_id()), ")\n");
  };
  const auto fixed = FindingsBySeverity(review, IsFixedFinding);
  const auto ignored_row = [](const v1::IgnoredRule& rule) {
    return absl::StrCat("* ", EchoCode(rule.rule_id()), rule.path().empty() ? "" : " in ",
                        EchoCode(rule.path(), kMaxPathBytes), " by ", EchoText(rule.by()), ": ",
                        EchoText(rule.reason(), kMaxMessageBytes), " (", rule.findings(),
                        rule.findings() == 1 ? " finding" : " findings", ")\n");
  };
  // One line for each stage.
  const auto progress_row = [](const v1::ReviewProgress& subject) {
    std::string rows = absl::StrCat("* ", EchoCode(subject.name()), " ", EchoCode(subject.path(), kMaxPathBytes), "\n");
    for (const v1::ReviewProgress::Stage& stage : subject.stages()) {
      absl::StrAppend(&rows, "  * ", EchoText(stage.title()), ": **", EchoText(stage.state()), "** ",
                      EchoText(stage.text(), kMaxMessageBytes), "\n");
    }
    return rows;
  };
  CommentText text(CommentHead(review, options.previous), 8);
  text.Add({"New", "findings"}, FindingsBySeverity(review, IsNewFinding), open_row);
  text.Add({"Fixed", "fixed findings", fixed.size() > kMaxOpenEntries}, fixed, fixed_row);
  text.Add({"Still there", "findings", true}, FindingsBySeverity(review, IsStillFinding), open_row);
  text.Add({"Ignored here", "rules"}, review.ignored(), ignored_row);
  text.Add({"How far it is", "entries"}, review.progress(), progress_row);
  text.Add({"Please look at", "points"}, review.checklist(), reminder_row);
  text.Add({"Why: the rules of these findings", "rules", true}, ExplainedRules(review, options.explain), RuleRow);
  text.Add({"Not looked at", "entries", true}, SkippedRows(review), [](const std::string& row) { return row; });
  return std::move(text).Finish();
}

std::string InlineReviewComment(const v1::ReviewFinding& finding) {
  const std::string hint = EchoText(finding.fix_hint(), kMaxInlineTextBytes);
  return absl::StrCat("**", Abs(SeverityWord(finding.severity())), "** ", ShownRule(finding), ": ",
                      EchoText(finding.message(), kMaxInlineTextBytes), hint.empty() ? "" : "\n\n", hint);
}

}  // namespace yardmaster
