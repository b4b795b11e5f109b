#include "rules/engine/code/source_file.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/code/fact_builder.h"
#include "rules/engine/code/readers.h"

namespace yardmaster::rules {

namespace {

// How far into a file a NUL says that it is no text, as for git.
constexpr size_t kBinaryLook = 8000;

}  // namespace

uint32_t FileFacts::LineOf(uint32_t offset) const {
  const auto after = absl::c_upper_bound(line_starts, offset);
  return static_cast<uint32_t>(after - line_starts.begin());
}

std::string_view FileFacts::LineText(uint32_t line) const {
  if (line == 0 || line > line_starts.size()) return {};
  const uint32_t begin = line_starts[line - 1];
  const auto end = line < line_starts.size() ? line_starts[line] : static_cast<uint32_t>(text.size());
  std::string_view out = Text({begin, end});
  while (!out.empty() && (out.back() == '\n' || out.back() == '\r')) out.remove_suffix(1);
  return out;
}

bool SourceFile::TakeText(std::string path, std::string text) {
  path_ = std::move(path);
  text_ = std::move(text);
  FileFacts& facts = facts_;
  facts.language = LanguageOfPath(path_);
  facts.text = text_;
  facts.line_starts.push_back(0);
  // Whoever read the file may have cut it behind the limit.
  if (facts.text.size() > kMaxSourceBytes) {
    facts.limits.push_back(
        {"the file has more than " + std::to_string(kMaxSourceBytes) + " bytes, the most that is read"});
  } else if (facts.text.substr(0, kBinaryLook).find('\0') != std::string_view::npos) {
    facts.limits.push_back({"the file is binary, with " + std::to_string(facts.text.size()) + " bytes"});
  }
  if (!facts.limits.empty()) {
    facts.text = {};
    return false;
  }
  for (size_t at = facts.text.find('\n'); at != std::string_view::npos; at = facts.text.find('\n', at + 1)) {
    if (at + 1 < facts.text.size()) facts.line_starts.push_back(static_cast<uint32_t>(at + 1));
  }
  return true;
}

std::shared_ptr<const SourceFile> SourceFile::Unparsed(std::string path, std::string text) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
  std::shared_ptr<SourceFile> file(new SourceFile());
  file->TakeText(std::move(path), std::move(text));
  return file;
}

std::shared_ptr<const SourceFile> SourceFile::Read(std::string path, std::string text,
                                                   std::chrono::milliseconds parse_limit, SyntaxTree* tree,
                                                   const TSTree* former) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
  std::shared_ptr<SourceFile> file(new SourceFile());
  FileFacts& facts = file->facts_;
  if (!file->TakeText(std::move(path), std::move(text))) return file;
  if (facts.language == Language::kText) return file;
  if (facts.language == Language::kMarkdown) {
    ReadMarkdown(parse_limit, facts);
    return file;
  }
  ParseStop stop = ParseStop::kTime;
  SyntaxTree parsed = ParseSourceAfter(former, facts.language, facts.text, parse_limit, &stop);
  if (!parsed) {
    facts.limits.push_back({Describe(stop, parse_limit)});
    return file;
  }
  const TSNode root = ts_tree_root_node(parsed.get());
  FindSyntaxErrors(root, 1, facts.errors);
  switch (facts.language) {
    case Language::kPython:
      ReadPython(root, kNoRow, facts);
      break;
    case Language::kYaml:
    case Language::kJson:
      ReadData(root, false, facts);
      break;
    case Language::kCpp:
    case Language::kCuda:
      ReadCpp(root, facts);
      break;
    default:
      break;
  }
  if (tree != nullptr) *tree = std::move(parsed);
  return file;
}

std::shared_ptr<const SourceFile> SourceFile::Unread(std::string path, std::string reason) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
  std::shared_ptr<SourceFile> file(new SourceFile());
  file->path_ = std::move(path);
  file->facts_.language = LanguageOfPath(file->path_);
  file->facts_.text = file->text_;
  file->facts_.line_starts.push_back(0);
  file->facts_.limits.push_back({std::move(reason)});
  return file;
}

}  // namespace yardmaster::rules
