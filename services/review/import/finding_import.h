// Reads what other tools found: SARIF 2.1.0, checkstyle XML, GitHub's workflow annotations, and lines as compilers
// write them. What a tool tells and a review can't show is counted by reason, never dropped in silence.
#ifndef YARDMASTER_SERVICES_REVIEW_IMPORT_FINDING_IMPORT_H_
#define YARDMASTER_SERVICES_REVIEW_IMPORT_FINDING_IMPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/engine/checks/review.h"

namespace yardmaster {

// One import. More findings are left out and counted.
inline constexpr size_t kMaxImportBytes = 8 * 1024 * 1024;
inline constexpr size_t kMaxImportedFindings = 25'000;
inline constexpr size_t kMaxImportDepth = 64;
// Longer messages are cut.
inline constexpr size_t kMaxImportedMessageBytes = 4 * 1024;

// What stands for the rule where a tool names none.
inline constexpr std::string_view kUnnamedRule = "unnamed";

enum class ImportFormat : uint8_t { kAuto, kSarif, kCheckstyle, kGithub, kLines };

// "sarif", "checkstyle", "github", "lines"; "auto" or empty: by the text. nullopt for anything else.
std::optional<ImportFormat> ImportFormatFromName(std::string_view name);

struct ImportOptions {
  std::string tool;           // empty: as the text says, or the format's usual one
  std::string root;           // where the repository lay when the tool ran: absolute paths below it become relative
  bool errors_block = false;  // a tool's errors are "block"; else "major"
};

// Findings of one kind that were left out.
struct LeftOut {
  std::string reason;
  size_t count = 0;
  std::string example;  // the first one's path or line, shortened
};

struct ImportedFindings {
  ImportFormat format = ImportFormat::kAuto;  // as it was read; never kAuto
  // By path, line, column and rule. The rule is "TOOL/RULE", the pack is the tool, the pack's severity is the tool's
  // own word. Errors are major, warnings minor, notes info. Fingerprints are empty: rules::SetFingerprints sets them
  // for whoever has the files' texts.
  std::vector<rules::Finding> findings;
  std::vector<LeftOut> left_out;
};

// INVALID_ARGUMENT if the text is over a limit or not of the format.
absl::StatusOr<ImportedFindings> ReadFindings(std::string_view content, ImportFormat format,
                                              const ImportOptions& options);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_IMPORT_FINDING_IMPORT_H_
