// One file as text, syntax tree and facts.
#ifndef YARDMASTER_RULES_ENGINE_CODE_SOURCE_FILE_H_
#define YARDMASTER_RULES_ENGINE_CODE_SOURCE_FILE_H_

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "rules/engine/code/facts.h"
#include "rules/engine/code/syntax_tree.h"

namespace yardmaster::rules {

// Limits of one file. Passing one is told in FileFacts::limits; facts then are missing or incomplete.
inline constexpr size_t kMaxSourceBytes = 2 * 1024 * 1024;
inline constexpr size_t kMaxSourceNesting = 500;
inline constexpr size_t kMaxSourceRows = 400'000;          // facts of one file; usual code has 1 in 8 bytes or more
inline constexpr size_t kMaxMadeBytes = 32 * 1024 * 1024;  // qualified names, pointers, texts without escapes

// Immutable; safe to use from many threads at once.
class SourceFile {
 public:
  // Reads `text`: never fails; what is wrong with it is in the facts. Texts that are not UTF-8 are read as they are.
  // `tree`, if given, gets the syntax tree, or none where the file was not parsed; else it is freed at once: it takes
  // more memory than the facts, and only tree-sitter queries need it.
  // `former`, if given, is the tree of another version, edited by EditTree: parsing is shorter then.
  static std::shared_ptr<const SourceFile> Read(std::string path, std::string text,
                                                std::chrono::milliseconds parse_limit, SyntaxTree* tree = nullptr,
                                                const TSTree* former = nullptr);
  // The text and its lines alone.
  static std::shared_ptr<const SourceFile> Unparsed(std::string path, std::string text);
  // A file whose text is not looked at; `reason` is the limit that was passed.
  static std::shared_ptr<const SourceFile> Unread(std::string path, std::string reason);

  const std::string& path() const { return path_; }
  const FileFacts& facts() const { return facts_; }

 private:
  SourceFile() = default;
  // Sets text and lines. False if the text is over the limit; there are no lines then.
  bool TakeText(std::string path, std::string text);
  std::string path_;
  std::string text_;
  FileFacts facts_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_SOURCE_FILE_H_
