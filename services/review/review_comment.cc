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
constexpr std::string_view kHowToSilenceZh =
    "\n在评论中写 `/ignore 规则 [路径] 理由` 可在本 PR 中忽略一条规则；在本仓的 `yardmaster.json` 的 `exemptions` "
    "下加一项则对全仓生效。\n";

std::string_view InLanguage(bool chinese, std::string_view en, std::string_view zh) { return chinese ? zh : en; }

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

// What the pack says of it, in Chinese where it has that.
const std::string& MessageOf(const v1::ReviewFinding& finding, bool chinese) {
  return chinese && !finding.message_zh().empty() ? finding.message_zh() : finding.message();
}
const std::string& HintOf(const v1::ReviewFinding& finding, bool chinese) {
  return chinese && !finding.fix_hint_zh().empty() ? finding.fix_hint_zh() : finding.fix_hint();
}

std::string FindingText(const v1::ReviewFinding& finding, size_t max_bytes, bool chinese) {
  const std::string hint = EchoText(HintOf(finding, chinese), max_bytes);
  return absl::StrCat(ShownRule(finding), ": ", EchoText(MessageOf(finding, chinese), max_bytes),
                      hint.empty() ? "" : " — ", hint);
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
  CommentText(std::string head, size_t sections, const ReviewCommentOptions& options)
      : text_(std::move(head)), sections_(sections), chinese_(options.chinese), max_bytes_(options.max_bytes) {}

  // As many rows as fit; empty ones are no rows.
  template <typename Items, typename Row>
  void Add(const Section& section, const Items& items, const Row& row) {
    const size_t reserved = Ending().size() + kFrameBytes * sections_--;
    const auto all = static_cast<size_t>(items.size());
    if (all == 0) return;
    const std::string title = absl::StrCat(section.title, ": ", all);
    text_ += section.collapsed ? absl::StrCat("\n<details><summary>", title, "</summary>\n\n")
                               : absl::StrCat("\n**", title, "**\n\n");
    size_t shown = 0;
    for (const auto& item : items) {
      const std::string entry = row(item);
      if (text_.size() + entry.size() + reserved > max_bytes_) break;
      text_ += entry;
      ++shown;
    }
    if (shown < all) {
      absl::StrAppend(&text_, chinese_ ? "* 还有 " : "* and ", all - shown, chinese_ ? " " : " more ", section.noun,
                      chinese_ ? "在此放不下\n" : " that do not fit here\n");
    }
    if (section.collapsed) text_ += "\n</details>\n";
  }

  std::string Finish() && { return absl::StrCat(text_, Abs(Ending())); }

 private:
  std::string_view Ending() const { return InLanguage(chinese_, kHowToSilence, kHowToSilenceZh); }

  std::string text_;
  size_t sections_;
  const bool chinese_;
  const size_t max_bytes_;
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

std::string CommentHead(const v1::Review& review, const ReviewCommentOptions& options) {
  const bool zh = options.chinese;
  const v1::Review* const previous = options.previous;
  const ReviewFindingCounts counts = CountFindings(review);
  const std::string base = review.merge_base().empty() ? std::string(InLanguage(zh, "an unknown base", "未知的基线"))
                                                       : ShownSha(review.merge_base());
  const std::string packs = EchoText(absl::StrJoin(review.packs(), ", "), kMaxPacksBytes);
  const bool by_forge = review.source() == "forge";
  std::string head;
  if (zh) {
    absl::StrAppend(&head, "### ", ShownSha(review.head()), " 的检视：", ReviewCountsText(review, zh), "\n\n",
                    review.files(), " 个文件，对比 ", base, by_forge ? "，无法访问 git，依据平台接口返回的内容" : "",
                    "。规则包：", packs, "。\n");
  } else {
    absl::StrAppend(&head, "### Review of ", ShownSha(review.head()), ": ", ReviewCountsText(review), "\n\n",
                    review.files(), review.files() == 1 ? " file" : " files", ", compared with ", base,
                    by_forge ? ", read from the forge's answers as git could not be reached" : "", ". Packs: ", packs,
                    ".\n");
  }
  if (counts.AllFresh() == 0 && counts.still == 0) {
    absl::StrAppend(&head, Abs(InLanguage(zh, "\nNo findings.\n", "\n没有发现问题。\n")));
  }
  if (previous != nullptr && previous->head() != review.head()) {
    const FindingNames now = OpenFindings(review);
    const FindingNames before = OpenFindings(*previous);
    absl::StrAppend(&head, zh ? "\n自 " : "\nSince ", ShownSha(previous->head()), zh ? " 以来：新增 " : ": ",
                    CountMissing(now, before), zh ? "，消除 " : " came, ", CountMissing(before, now),
                    zh ? "。\n" : " went.\n");
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

std::string RuleRow(const rules::CheckInfo* info, bool chinese) {
  std::string row = absl::StrCat("* ", EchoText(info->rule), " (", EchoText(info->pack_severity),
                                 "): ", EchoText(info->title, kMaxMessageBytes));
  const auto add = [&row](std::string_view name, const std::string& text) {
    if (!text.empty()) absl::StrAppend(&row, Abs(name), EchoText(text, 2 * kMaxMessageBytes));
  };
  add(" — ", info->description);
  add(InLanguage(chinese, " Hint: ", " 提示："), info->fix);
  add(InLanguage(chinese, " Source: ", " 来源："), info->source);
  return row + "\n";
}

// What was not looked at: files one by one, checks by why they were not made.
std::vector<std::string> SkippedRows(const v1::Review& review, bool chinese) {
  std::vector<std::string> rows;
  std::map<std::string_view, std::set<std::string>> checks;
  for (const v1::SkippedReviewCheck& skipped : review.skipped()) {
    const std::string& reason = chinese && !skipped.reason_zh().empty() ? skipped.reason_zh() : skipped.reason();
    if (skipped.rule_id() != kEveryRule) {
      checks[reason].insert(rules::RuleAndPart(skipped.rule_id(), skipped.part()));
    } else {
      rows.push_back(absl::StrCat("* ", EchoCode(skipped.path(), kMaxPathBytes), skipped.path().empty() ? "" : ": ",
                                  EchoText(reason, kMaxMessageBytes), "\n"));
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

std::string ReviewCountsText(const v1::Review& review, bool chinese) {
  const ReviewFindingCounts counts = CountFindings(review);
  if (chinese) {
    return absl::StrCat("新增 ", counts.AllFresh(), "，仍在 ", counts.still, "，已修复 ", counts.fixed,
                        review.complete() ? "" : "（有内容未能检视）");
  }
  return absl::StrCat(counts.AllFresh(), " new, ", counts.still, " still, ", counts.fixed, " fixed",
                      review.complete() ? "" : " (not everything could be looked at)");
}

std::string FilesAndCountsText(const v1::Review& review, bool chinese) {
  const std::string_view unit = chinese ? " 个文件：" : review.files() == 1 ? " file: " : " files: ";
  return absl::StrCat(review.files(), Abs(unit), ReviewCountsText(review, chinese));
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
  const bool zh = options.chinese;
  const auto open_row = [&](const v1::ReviewFinding* finding) {
    return absl::StrCat("* **", Abs(SeverityWord(finding->severity())), "** ",
                        FindingPlace(*finding, review, options.repository_url), " ",
                        FindingText(*finding, kMaxMessageBytes, zh), "\n");
  };
  const auto fixed_row = [zh](const v1::ReviewFinding* finding) {
    const std::string path = EchoCode(finding->path(), kMaxPathBytes);
    return absl::StrCat("* ~~", path, path.empty() ? "" : " ", ShownRule(*finding), ": ",
                        EchoText(MessageOf(*finding, zh), kMaxMessageBytes), "~~\n");
  };
  const auto reminder_row = [](const v1::ReviewReminder& reminder) {
    return absl::StrCat("- [ ] ", EchoText(reminder.text(), kMaxMessageBytes), reminder.path().empty() ? "" : " ",
                        EchoCode(reminder.path(), kMaxPathBytes), " (", EchoText(reminder.rule_id()), ")\n");
  };
  const auto fixed = FindingsBySeverity(review, IsFixedFinding);
  const auto ignored_row = [zh](const v1::IgnoredRule& rule) {
    const std::string path = EchoCode(rule.path(), kMaxPathBytes);
    const std::string reason = EchoText(rule.reason(), kMaxMessageBytes);
    if (zh) {
      return absl::StrCat("* ", EchoCode(rule.rule_id()), path.empty() ? "" : " ", path, "，由 ", EchoText(rule.by()),
                          " 忽略：", reason, "（", rule.findings(), " 个问题）\n");
    }
    return absl::StrCat("* ", EchoCode(rule.rule_id()), path.empty() ? "" : " in ", path, " by ", EchoText(rule.by()),
                        ": ", reason, " (", rule.findings(), rule.findings() == 1 ? " finding" : " findings", ")\n");
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
  const auto section = [zh](Section en, Section chinese) { return zh ? std::move(chinese) : std::move(en); };
  const auto rule_row = [zh](const rules::CheckInfo* info) { return RuleRow(info, zh); };
  const bool many_fixed = fixed.size() > kMaxOpenEntries;
  CommentText text(CommentHead(review, options), 8, options);
  text.Add(section({"New", "findings"}, {"新增", "个问题"}), FindingsBySeverity(review, IsNewFinding), open_row);
  text.Add(section({"Fixed", "fixed findings", many_fixed}, {"已修复", "个已修复的问题", many_fixed}), fixed,
           fixed_row);
  text.Add(section({"Still there", "findings", true}, {"仍在", "个问题", true}),
           FindingsBySeverity(review, IsStillFinding), open_row);
  text.Add(section({"Ignored here", "rules"}, {"在此忽略", "条规则"}), review.ignored(), ignored_row);
  text.Add(section({"How far it is", "entries"}, {"完成程度", "项"}), review.progress(), progress_row);
  text.Add(section({"Please look at", "points"}, {"请查看", "项"}), review.checklist(), reminder_row);
  text.Add(section({"Why: the rules of these findings", "rules", true}, {"为什么：这些问题的规则", "条规则", true}),
           ExplainedRules(review, options.explain), rule_row);
  text.Add(section({"Not looked at", "entries", true}, {"未检视", "项", true}), SkippedRows(review, zh),
           [](const std::string& row) { return row; });
  return std::move(text).Finish();
}

std::string InlineReviewComment(const v1::ReviewFinding& finding) {
  const std::string hint = EchoText(finding.fix_hint(), kMaxInlineTextBytes);
  return absl::StrCat("**", Abs(SeverityWord(finding.severity())), "** ", ShownRule(finding), ": ",
                      EchoText(finding.message(), kMaxInlineTextBytes), hint.empty() ? "" : "\n\n", hint);
}

}  // namespace yardmaster
