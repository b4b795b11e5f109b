// Makes findings of what tools say, and counts what can't become one.
#ifndef YARDMASTER_SERVICES_REVIEW_IMPORT_FINDING_COLLECTOR_H_
#define YARDMASTER_SERVICES_REVIEW_IMPORT_FINDING_COLLECTOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/review/import/finding_import.h"

namespace yardmaster {

enum class ToolLevel : uint8_t { kError, kWarning, kNote };

// One finding as its tool tells it.
struct ToolFinding {
  std::string tool;
  std::string rule;  // empty: the tool names none
  ToolLevel level = ToolLevel::kWarning;
  std::string word;  // the tool's own for the level; empty: the level's name
  std::string path;  // absolute or relative, "/" between folders; empty: the tool names no file
  // As in rules::Finding; an end of 0 is the same line, or the same column.
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;
  std::string message;
};

// Reasons that several formats share.
inline constexpr std::string_view kOutsideRepository = "the path is not in the repository";
inline constexpr std::string_view kSuppressed = "it is suppressed in the tool";
inline constexpr std::string_view kUnknownLine = "the line is in no known format";
inline constexpr std::string_view kBadPlace = "the line or column is not a number from 1";

// "error", "fatal error", "warning", "style", "note", … in any case, and pylint's letters; a word that is not known is
// a warning.
ToolLevel LevelOfWord(std::string_view word);

// Reads a line or column number: nullopt if it is none or absurdly large.
std::optional<uint32_t> PlaceNumber(std::string_view digits);

class FindingCollector {
 public:
  explicit FindingCollector(const ImportOptions& options) : options_(options) {}

  // The options' tool replaces the finding's.
  void Add(ToolFinding found);
  // `example`: the path or line that it is about.
  void LeaveOut(std::string_view reason, std::string_view example);

  // Everything, sorted. The collector is of no use afterwards.
  ImportedFindings Take() &&;

 private:
  const ImportOptions& options_;
  ImportedFindings imported_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_IMPORT_FINDING_COLLECTOR_H_
