#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/json_document.h"
#include "services/review/import/readers.h"
#include "services/review/import/sarif_json.h"
#include "services/review/import/sarif_paths.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using sarif::At;
using sarif::ElementAt;
using sarif::TextAt;
using sarif::TextOf;

constexpr size_t kMaxSarifValues = 2'000'000;
// Of a rule's properties: what code hosts call critical.
constexpr double kCriticalScore = 9.0;

// "{0}" stands for an argument, "{{" and "}}" for a brace.
std::string Filled(std::string_view text, const json& arguments) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool brace = text[i] == '{' || text[i] == '}';
    if (brace && i + 1 < text.size() && text[i + 1] == text[i]) {
      out += text[i++];
      continue;
    }
    const size_t end = text[i] == '{' ? text.find('}', i) : std::string_view::npos;
    size_t index = 0;
    if (end != std::string_view::npos && absl::SimpleAtoi(Abs(text.substr(i + 1, end - i - 1)), &index) &&
        At(arguments, index).is_string()) {
      absl::StrAppend(&out, Abs(TextOf(At(arguments, index))));
      i = end;
    } else {
      out += text[i];
    }
    if (out.size() > kMaxImportedMessageBytes) break;
  }
  return out;
}

// "it is not suppressed after all" is what a status other than "accepted" says.
bool IsSuppressed(const json& result) {
  const json& suppressions = At(result, "suppressions");
  return suppressions.is_array() && !suppressions.empty() && absl::c_all_of(suppressions, [](const json& one) {
           const std::string_view status = TextAt(one, "status");
           return status.empty() || status == "accepted";
         });
}

std::optional<uint32_t> RegionNumber(const json& region, std::string_view key) {
  const json& value = At(region, key);
  return value.is_null() ? std::optional<uint32_t>(0) : PlaceNumber(value.dump());
}

// One run: a tool, its rules and its results.
class SarifRun {
 public:
  SarifRun(const json& run, const ImportOptions& options, FindingCollector& collector)
      : run_(run), tool_(At(run, "tool")), root_(options.root), collector_(collector) {
    for (const json& rule : At(At(tool_, "driver"), "rules")) rules_.emplace(TextAt(rule, "id"), &rule);
  }

  void AddResult(const json& result) const {
    const json& rule = RuleOf(result);
    const std::string message = MessageOf(result, rule);
    if (const std::string_view reason = NoViolation(result); !reason.empty()) {
      return collector_.LeaveOut(reason, message);
    }
    const json& place = At(At(At(result, "locations"), size_t{0}), "physicalLocation");
    const std::optional<std::string> path = sarif::PathOfLocation(run_, At(place, "artifactLocation"), root_);
    if (!path.has_value()) return collector_.LeaveOut("its URI is none of a file", message);

    ToolFinding found;
    found.tool = TextAt(At(tool_, "driver"), "name");
    found.rule = RuleId(result, rule);
    found.word = LevelWord(result, rule);
    found.level = IsCritical(rule) ? ToolLevel::kError : LevelOfWord(found.word);
    found.path = *path;
    found.message = message;
    if (!SetRegion(At(place, "region"), found)) return collector_.LeaveOut(kBadPlace, *path);
    collector_.Add(std::move(found));
  }

 private:
  // Why a result is no finding; empty: it is one.
  static std::string_view NoViolation(const json& result) {
    const std::string_view kind = TextAt(result, "kind");
    if (!kind.empty() && kind != "fail") return "it is no failure, the tool says";
    if (TextAt(result, "baselineState") == "absent") return "it is gone, the tool says";
    return IsSuppressed(result) ? kSuppressed : std::string_view();
  }

  // What the run says about the result's rule: by index, in an extension or the driver, else by name; may be null.
  const json& RuleOf(const json& result) const {
    const json& reference = At(result, "rule");
    const json& extension = ElementAt(At(tool_, "extensions"), At(At(reference, "toolComponent"), "index"));
    const json& component = extension.is_null() ? At(tool_, "driver") : extension;
    const json& index = At(reference, "index").is_null() ? At(result, "ruleIndex") : At(reference, "index");
    if (const json& rule = ElementAt(At(component, "rules"), index); !rule.is_null()) return rule;
    const auto known = rules_.find(RuleId(result, sarif::Null()));
    return known == rules_.end() ? sarif::Null() : *known->second;
  }

  static std::string_view RuleId(const json& result, const json& rule) {
    for (const std::string_view id : {TextAt(result, "ruleId"), TextAt(At(result, "rule"), "id"), TextAt(rule, "id")}) {
      if (!id.empty()) return id;
    }
    return {};
  }

  static std::string_view LevelWord(const json& result, const json& rule) {
    if (const std::string_view level = TextAt(result, "level"); !level.empty()) return level;
    const std::string_view usual = TextAt(At(rule, "defaultConfiguration"), "level");
    return usual.empty() ? "warning" : usual;
  }

  static bool IsCritical(const json& rule) {
    const json& score = At(At(rule, "properties"), "security-severity");
    double number = 0;
    if (score.is_number()) return score.get<double>() >= kCriticalScore;
    return absl::SimpleAtod(Abs(TextOf(score)), &number) && number >= kCriticalScore;
  }

  std::string MessageOf(const json& result, const json& rule) const {
    const json& message = At(result, "message");
    std::string_view text = TextAt(message, "text");
    if (text.empty()) text = TextAt(At(At(rule, "messageStrings"), TextAt(message, "id")), "text");
    return Filled(text, At(message, "arguments"));
  }

  // False: a number is none. Without a line, the finding is about the whole file. Columns are taken as they are:
  // without the text, UTF-16 units can't be told from characters.
  static bool SetRegion(const json& region, ToolFinding& found) {
    for (const auto& [key, place] :
         {std::pair("startLine", &found.line), std::pair("startColumn", &found.column),
          std::pair("endLine", &found.end_line), std::pair("endColumn", &found.end_column)}) {
      const std::optional<uint32_t> number = RegionNumber(region, key);
      if (!number.has_value()) return false;
      *place = *number;
    }
    return true;
  }

  const json& run_;
  const json& tool_;
  const std::string& root_;
  FindingCollector& collector_;
  std::map<std::string_view, const json*> rules_;
};

}  // namespace

absl::Status ReadSarif(std::string_view content, const ImportOptions& options, FindingCollector& collector) {
  JsonLimits limits;
  limits.max_bytes = kMaxImportBytes;
  limits.max_depth = kMaxImportDepth;
  limits.max_values = kMaxSarifValues;
  limits.duplicates = JsonLimits::Duplicates::kLastWins;
  std::string error;
  const std::optional<json> log = ParseJsonLimited(content, limits, error);
  if (!log.has_value()) return errors::ImportUnreadable("SARIF", error);
  if (!TextAt(*log, "version").starts_with("2.1.")) {
    return errors::ImportUnreadable("SARIF", "its version is not 2.1.0");
  }
  if (!At(*log, "runs").is_array()) return errors::ImportUnreadable("SARIF", "it has no list of runs");
  for (const json& run : At(*log, "runs")) {
    const SarifRun reader(run, options, collector);
    for (const json& result : At(run, "results")) reader.AddResult(result);
  }
  return absl::OkStatus();
}

}  // namespace yardmaster
