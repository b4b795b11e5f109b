#include "services/review/imported_findings.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/checks/fingerprint.h"
#include "rules/engine/checks/line_diff.h"
#include "rules/engine/code/source_file.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

constexpr std::chrono::milliseconds kParseLimit{2000};

// The rule's name without the tool's: what two tools that run the same check share.
std::string_view NameOfRule(const rules::Finding& finding) {
  std::string_view name = finding.rule_id;
  if (name.starts_with(finding.pack) && name.substr(finding.pack.size()).starts_with('/')) {
    name.remove_prefix(finding.pack.size() + 1);
  }
  return name;
}

// Findings that were told already.
class ToldFindings {
 public:
  // False: this one was. Else it is from now on.
  bool Add(const rules::Finding& finding) {
    const std::string_view name = NameOfRule(finding);
    const bool by_other = OtherTold(finding, finding.message) || (name != kUnnamedRule && OtherTold(finding, name));
    if (by_other ||
        !whole_.emplace(finding.pack, finding.path, finding.line, finding.column, finding.rule_id, finding.message)
             .second) {
      return false;
    }
    first_.try_emplace({finding.path, finding.line, finding.message}, finding.pack);
    first_.try_emplace({finding.path, finding.line, std::string(name)}, finding.pack);
    return true;
  }

 private:
  // Whether another tool says `text`, a message or a rule's name, about the line.
  bool OtherTold(const rules::Finding& finding, std::string_view text) const {
    const auto told = first_.find({finding.path, finding.line, std::string(text)});
    return told != first_.end() && told->second != finding.pack;
  }

  std::set<std::tuple<std::string, std::string, uint32_t, uint32_t, std::string, std::string>> whole_;
  std::map<std::tuple<std::string, uint32_t, std::string>, std::string> first_;  // → the tool
};

// Files that a change touches, as far as something is told about them.
class TouchedTexts {
 public:
  explicit TouchedTexts(Change& change) : change_(change) {
    for (const ChangedFile& file : change.files()) {
      if (file.kind != ChangedFile::Kind::kRemoved) files_[file.path] = &file;
    }
  }

  absl::Status Read(const std::string& path) {
    const auto touched = files_.find(path);
    if (touched == files_.end() || read_.contains(path)) return absl::OkStatus();
    const ChangedFile& file = *touched->second;
    Texts& texts = read_[path];
    if (file.binary) return absl::OkStatus();
    ASSIGN_OR_RETURN(std::optional<std::string> head, change_.Read(ChangeSide::kHead, path, rules::kMaxSourceBytes));
    std::optional<std::string> base;
    if (file.kind != ChangedFile::Kind::kAdded) {
      const std::string& former = file.former_path.empty() ? path : file.former_path;
      ASSIGN_OR_RETURN(base, change_.Read(ChangeSide::kBase, former, rules::kMaxSourceBytes));
    }
    if (!head.has_value()) return absl::OkStatus();
    texts.base_of = rules::MatchLines(base.value_or(""), *head).base_of;
    texts.source = rules::SourceFile::Read(path, *std::move(head), kParseLimit);
    return absl::OkStatus();
  }

  const rules::FileFacts* FactsOf(std::string_view path) const {
    const auto read = read_.find(path);
    return read == read_.end() || read->second.source == nullptr ? nullptr : &read->second.source->facts();
  }

  // Lines that were not read count as changed in a file that is touched: better told twice than lost.
  bool Changes(const std::string& path, uint32_t first, uint32_t last) const {
    const auto read = read_.find(path);
    if (read == read_.end()) return false;
    const std::vector<uint32_t>& base_of = read->second.base_of;
    if (first == 0 || first >= base_of.size()) return true;
    const auto end = base_of.begin() + std::min<size_t>(last, base_of.size() - 1) + 1;
    return std::any_of(base_of.begin() + first, end, [](uint32_t line) { return line == 0; });
  }

 private:
  struct Texts {
    std::vector<uint32_t> base_of;  // LineMatch::base_of
    std::shared_ptr<const rules::SourceFile> source;
  };

  Change& change_;
  std::map<std::string, const ChangedFile*> files_;
  std::map<std::string, Texts, std::less<>> read_;
};

}  // namespace

ImportCounts MergeImported(std::vector<rules::Finding> imported, ChangesLines changes, ReviewReport& report) {
  ToldFindings told;
  for (const ReportedFinding& one : report.findings) {
    if (one.status != FindingStatus::kFixed) told.Add(one.finding);
  }
  ImportCounts counts;
  counts.read = imported.size();
  for (rules::Finding& finding : imported) {
    if (!told.Add(finding)) {
      ++counts.duplicates;
      continue;
    }
    const bool changed = changes(finding.path, finding.line, finding.end_line);
    ++(changed ? counts.added_new : counts.added_still);
    report.findings.push_back({std::move(finding), changed ? FindingStatus::kNew : FindingStatus::kStill});
  }
  SortFindings(report.findings);
  return counts;
}

absl::StatusOr<ImportCounts> ImportFindings(std::string_view content, ImportFormat format, const ImportOptions& options,
                                            Change& change, ReviewReport& report) {
  ASSIGN_OR_RETURN(ImportedFindings imported, ReadFindings(content, format, options));
  TouchedTexts texts(change);
  for (const rules::Finding& finding : imported.findings) RETURN_IF_ERROR(texts.Read(finding.path));
  rules::SetFingerprints(imported.findings, [&](std::string_view path) { return texts.FactsOf(path); });
  const auto changes = [&](const std::string& path, uint32_t first, uint32_t last) {
    return texts.Changes(path, first, last);
  };
  ImportCounts counts = MergeImported(std::move(imported.findings), changes, report);
  for (const LeftOut& one : imported.left_out) {
    counts.left_out += one.count;
    report.skipped.push_back({"*", options.tool,
                              absl::StrCat("import: ", one.count, " left out: ", one.reason, ", as ", one.example), "",
                              absl::StrCat("导入时略去 ", one.count, " 条：", one.reason, "，例如 ", one.example)});
  }
  return counts;
}

}  // namespace yardmaster
