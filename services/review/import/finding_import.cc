#include "services/review/import/finding_import.h"

#include <array>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/errors.h"
#include "services/core/lines.h"
#include "services/core/status_macros.h"
#include "services/review/import/finding_collector.h"
#include "services/review/import/readers.h"

namespace yardmaster {
namespace {

using ImportReader = absl::Status (*)(std::string_view, const ImportOptions&, FindingCollector&);

struct FormatRow {
  ImportFormat format;
  std::string_view name;
  ImportReader read;
};

constexpr std::array<FormatRow, 4> kFormats = {{{ImportFormat::kSarif, "sarif", ReadSarif},
                                                {ImportFormat::kCheckstyle, "checkstyle", ReadCheckstyle},
                                                {ImportFormat::kGithub, "github", ReadAnnotations},
                                                {ImportFormat::kLines, "lines", ReadLines}}};

ImportFormat FormatOf(std::string_view content) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  const std::string_view trimmed = TrimBlanks(content);
  if (trimmed.starts_with('{')) return ImportFormat::kSarif;
  if (trimmed.starts_with('<')) return ImportFormat::kCheckstyle;
  return absl::c_any_of(LinesOf(content), IsAnnotation) ? ImportFormat::kGithub : ImportFormat::kLines;
}

}  // namespace

std::optional<ImportFormat> ImportFormatFromName(std::string_view name) {
  if (name.empty() || name == "auto") return ImportFormat::kAuto;
  const auto row = absl::c_find_if(kFormats, [&](const FormatRow& one) { return one.name == name; });
  return row == kFormats.end() ? std::nullopt : std::optional(row->format);
}

absl::StatusOr<ImportedFindings> ReadFindings(std::string_view content, ImportFormat format,
                                              const ImportOptions& options) {
  if (content.size() > kMaxImportBytes) {
    return errors::OverLimit("the import", content.size(), kMaxImportBytes, "bytes");
  }
  if (format == ImportFormat::kAuto) format = FormatOf(content);
  const auto row = absl::c_find_if(kFormats, [&](const FormatRow& one) { return one.format == format; });
  FindingCollector collector(options);
  RETURN_IF_ERROR(row->read(content, options, collector));
  ImportedFindings imported = std::move(collector).Take();
  imported.format = format;
  return imported;
}

}  // namespace yardmaster
