#include <cstddef>
#include <pugixml.hpp>
#include <utility>

#include "services/core/errors.h"
#include "services/core/lines.h"
#include "services/review/import/readers.h"

namespace yardmaster {
namespace {

// What tools write before their rules' names.
struct SourcePrefix {
  std::string_view prefix;
  std::string_view tool;
};
constexpr SourcePrefix kSourcePrefixes[] = {{"com.puppycrawl.tools.checkstyle.checks.", "checkstyle"},
                                            {"eslint.rules.", "eslint"},
                                            {"ShellCheck.", "shellcheck"}};

void SetSource(std::string_view source, ToolFinding& found) {
  found.tool = "checkstyle";
  for (const auto& [prefix, tool] : kSourcePrefixes) {
    if (!source.starts_with(prefix)) continue;
    source.remove_prefix(prefix.size());
    found.tool = tool;
    break;
  }
  found.rule = source;
}

void AddError(const std::string& path, const pugi::xml_node& error, FindingCollector& collector) {
  const std::string_view severity = error.attribute("severity").as_string("warning");
  if (severity == "ignore") return collector.LeaveOut(kSuppressed, path);
  // Many tools leave the column out, and write line 0 for the whole file.
  const std::optional<uint32_t> line = PlaceNumber(error.attribute("line").as_string("0"));
  const std::optional<uint32_t> column = PlaceNumber(error.attribute("column").as_string("0"));
  if (!line.has_value() || !column.has_value()) return collector.LeaveOut(kBadPlace, path);
  ToolFinding found;
  SetSource(error.attribute("source").value(), found);
  found.level = LevelOfWord(severity);
  found.word = severity;
  found.path = path;
  found.line = *line;
  found.column = *column;
  found.message = error.attribute("message").value();
  collector.Add(std::move(found));
}

}  // namespace

absl::Status ReadCheckstyle(std::string_view content, const ImportOptions&, FindingCollector& collector) {
  pugi::xml_document document;
  // A document type is read so that it can be refused; entities other than XML's own five stay as they are.
  const pugi::xml_parse_result result = document.load_buffer(
      content.data(), content.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result) return errors::ImportUnreadable("checkstyle", result.description());
  for (const pugi::xml_node& node : document.children()) {
    if (node.type() == pugi::node_doctype) return errors::ImportUnreadable("checkstyle", "it has a document type");
  }
  const pugi::xml_node root = document.document_element();
  if (std::string_view(root.name()) != "checkstyle") {
    return errors::ImportUnreadable("checkstyle", "its root is not <checkstyle>");
  }
  for (const pugi::xml_node& file : root.children()) {
    const std::string path = file.attribute("name").value();
    for (const pugi::xml_node& child : file.children()) {
      const std::string_view name = child.name();
      if (name == "error") {
        AddError(path, child, collector);
      } else if (name == "exception") {
        collector.LeaveOut("the tool failed on the file", path);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace yardmaster
