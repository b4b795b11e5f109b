// One file as checks see it while they run: facts, role, base, and what was worked out on the way.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_UNIT_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_UNIT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/engine/checks/file_change.h"
#include "rules/engine/checks/value.h"
#include "rules/engine/code/source_file.h"
#include "rules/engine/code/syntax_tree.h"

namespace yardmaster::rules {

// Belongs to one run, and so to one thread.
class Unit {
 public:
  explicit Unit(std::shared_ptr<const SourceFile> source) : source_(std::move(source)) {}

  const FileFacts& facts() const { return source_->facts(); }
  const SourceFile& source() const { return *source_; }
  const std::string& path() const { return source_->path(); }

  // The syntax tree: what was given to Hold, else parsed anew; null where the file was not parsed. Few trees may be
  // held at a time: Drop it when the file has been judged.
  const SyntaxTree& Tree() const;
  void Hold(SyntaxTree tree) const { tree_ = std::move(tree); }
  void Drop() const { tree_.reset(); }

  size_t RowCount(FactTable table) const;
  ByteSpan SpanOf(FactTable table, RowIndex row) const;
  // Where findings about the row point at: the name of a function, not all of it.
  ByteSpan HeadOf(FactTable table, RowIndex row) const;
  // Its line.
  uint32_t LineOf(FactTable table, RowIndex row) const { return facts().LineOf(HeadOf(table, row).begin); }
  ByteSpan BodyOf(FactTable table, RowIndex row) const;
  // First row that begins at `offset` or behind it.
  RowIndex LowerBound(FactTable table, uint32_t offset) const;

  // The assignment or the parameter that a name refers to.
  RowIndex BindingOf(RowIndex name) const;
  RowIndex ParameterOf(RowIndex name) const;
  // The function of the file that a call calls by its bare name.
  RowIndex TargetOf(RowIndex call) const;
  // Number or text of an expression, through names; of a text that is put together the whole, where all parts are
  // known, and of a template (an f-string) that is not it as it is written.
  std::optional<double> NumberOf(RowIndex expr) const;
  std::optional<std::string_view> TextOf(RowIndex expr) const;
  // The dotted name with imports resolved; empty if it is not a name.
  std::string_view ResolvedName(RowIndex expr) const;
  // True once names with their imports took too much memory; further ones stayed as they are written.
  bool resolved_full() const { return resolved_bytes_ > kMaxResolvedTotal; }
  RowIndex ParameterNamed(RowIndex function, std::string_view name) const;
  // Decorators of a function or a class, in order.
  std::vector<RowIndex> DecoratorsOf(FactTable table, RowIndex row) const;
  // Functions that this one reaches (or that reach it) by calls in this file, itself included, sorted.
  std::shared_ptr<const std::vector<RowIndex>> Reachable(RowIndex function) const;
  std::shared_ptr<const std::vector<RowIndex>> Reaching(RowIndex function) const;
  // Whether the other version does not have a line (from 1) at its place: of head added, of base removed.
  bool Added(uint32_t line) const { return pairs_.empty() || (line < pairs_.size() && pairs_[line] == 0); }
  // Whether a row has such a line; of tables that stay the same while the unit lives, it is worked out once for all
  // rows.
  bool TouchesAdded(FactTable table, RowIndex row) const;
  // Whether there is another version; without one every line counts as added.
  bool compared() const { return !pairs_.empty(); }
  // Of a file that the change removed: there is nothing at head.
  bool gone() const { return !is_base && change && change->kind == FileChange::Kind::kRemoved; }

  // Set by the run.
  std::string role;
  std::map<std::string, std::string, std::less<>> groups;
  std::unique_ptr<Unit> base;
  std::optional<FileChange> change;  // of both versions; nullopt: nothing is compared, or the file was not touched
  bool is_base = false;
  bool judged = true;
  bool untouched = false;  // the same at base
  std::vector<uint32_t>
      pairs_;  // by line, that of the other version, 0: none; empty: the other version has none at all
  // By definition: 0 not asked yet, 1 yes, 2 no, 3 being asked.
  mutable std::vector<std::vector<uint8_t>> memo;
  // Matches of the tree-sitter query that is being judged.
  struct Match {
    ByteSpan span;
    std::vector<ByteSpan> captures;  // by capture of the query; begin > end: not there
  };
  mutable std::vector<Match> matches;

 private:
  static constexpr size_t kMaxResolvedTotal = 32 * 1024 * 1024;

  using Walks = std::unordered_map<RowIndex, std::shared_ptr<const std::vector<RowIndex>>>;

  void BuildCalls() const;
  std::shared_ptr<const std::vector<RowIndex>> Remembered(Walks& walks, RowIndex function,
                                                          const std::vector<std::vector<RowIndex>>& edges) const;

  // A string with the texts of its names; as it is written where one is not known.
  std::string_view Interpolated(RowIndex expr) const;
  // Texts that are added.
  std::optional<std::string_view> Joined(RowIndex expr) const;
  template <typename Add>
  std::optional<std::string_view> Composed(RowIndex expr, std::string text, Add add) const;
  bool SpanTouchesAdded(FactTable table, RowIndex row) const;

  std::shared_ptr<const SourceFile> source_;
  mutable std::vector<std::vector<uint8_t>> touches_added_;  // by table and row; empty until a table is asked about
  mutable bool calls_built_ = false;
  mutable std::vector<std::vector<RowIndex>> callees_;
  mutable std::vector<std::vector<RowIndex>> callers_;
  mutable Walks reachable_;
  mutable Walks reaching_;
  mutable size_t walked_ = 0;  // rows in both
  mutable std::unordered_map<RowIndex, std::string> resolved_;
  mutable std::unordered_map<RowIndex, std::optional<std::string>> texts_;  // nullopt: not known, or on the way
  mutable int composing_ = 0;
  mutable size_t resolved_bytes_ = 0;
  mutable SyntaxTree tree_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_UNIT_H_
