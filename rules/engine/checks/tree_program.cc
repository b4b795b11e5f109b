#include "rules/engine/checks/tree_program.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {
namespace {

struct CursorDeleter {
  void operator()(TSQueryCursor* cursor) const { ts_query_cursor_delete(cursor); }
};

// Matches of one query that are kept of one file.
constexpr size_t kMaxMatches = 10'000;
// Partial matches of one query that tree-sitter may keep; more are dropped, which bounds time on hostile texts.
constexpr size_t kMatchLimit = 256;
constexpr size_t kMaxMatchLimit = 65'535;
constexpr uint32_t kNoCapture = UINT32_MAX;
constexpr ByteSpan kNoSpan = {1, 0};

bool Expired(TSQueryCursorState* state) {
  return ThreadClock::now() > *static_cast<ThreadClock::time_point*>(state->payload);
}

std::string_view ErrorName(TSQueryError error) {
  static constexpr std::string_view kNames[] = {
      "", "syntax error", "unknown node", "unknown field", "unknown capture", "impossible structure", "wrong language"};
  return kNames[static_cast<size_t>(error)];
}

}  // namespace

std::unique_ptr<const TreeProgram> TreeProgram::Compile(Language language, const std::vector<const TreeQuery*>& queries,
                                                        std::string& error) {
  const TSLanguage* grammar = language == Language::kMarkdown ? nullptr : GrammarOf(language);
  if (grammar == nullptr) {
    error = "there is no grammar of " + std::string(LanguageName(language));
    return nullptr;
  }
  std::string text;
  std::vector<size_t> ends;  // of each query in `text`
  ends.reserve(queries.size());
  for (const TreeQuery* query : queries) {
    text += query->text;
    text += '\n';  // a comment may stand at the end
    ends.push_back(text.size());
  }
  std::unique_ptr<TreeProgram> program(new TreeProgram);
  program->queries_ = queries;
  uint32_t offset = 0;
  TSQueryError type = TSQueryErrorNone;
  program->compiled_.reset(ts_query_new(grammar, text.data(), static_cast<uint32_t>(text.size()), &offset, &type));
  if (!program->compiled_) {
    error = std::string(ErrorName(type)) + " at character " + std::to_string(offset + 1) + " for " +
            std::string(LanguageName(language));
    return nullptr;
  }
  const TSQuery* compiled = program->compiled_.get();

  // 1. Captures: the same name in two queries is one capture for tree-sitter.
  program->capture_count_ = ts_query_capture_count(compiled);
  program->captures_.assign(queries.size(), std::vector<uint32_t>(program->capture_count_, kNoCapture));
  for (uint32_t i = 0; i < program->capture_count_; ++i) {
    uint32_t length = 0;
    const char* chars = ts_query_capture_name_for_id(compiled, i, &length);
    const std::string_view name(chars, length);
    for (size_t query = 0; query < queries.size(); ++query) {
      const auto& names = queries[query]->captures;
      const auto found = absl::c_find(names, name);
      if (found != names.end()) program->captures_[query][i] = static_cast<uint32_t>(found - names.begin());
    }
  }

  // 2. Patterns: which query each is of, by its place in the text.
  program->patterns_.resize(ts_query_pattern_count(compiled));
  for (uint32_t i = 0; i < program->patterns_.size(); ++i) {
    const size_t begin = ts_query_start_byte_for_pattern(compiled, i);
    program->patterns_[i].query = static_cast<size_t>(absl::c_upper_bound(ends, begin) - ends.begin());
    if (program->patterns_[i].query == queries.size() || !program->ReadPredicates(i, error)) return nullptr;
  }
  return program;
}

bool TreeProgram::ReadPredicates(uint32_t pattern, std::string& error) {
  const TSQuery* query = compiled_.get();
  const auto text_of = [&](uint32_t id) {
    uint32_t length = 0;
    const char* text = ts_query_string_value_for_id(query, id, &length);
    return std::string(text, length);
  };
  uint32_t count = 0;
  const TSQueryPredicateStep* steps = ts_query_predicates_for_pattern(query, pattern, &count);
  for (uint32_t i = 0; i < count; ++i) {
    if (steps[i].type != TSQueryPredicateStepTypeString) break;
    std::string name = text_of(steps[i].value_id);
    std::vector<TSQueryPredicateStep> arguments;
    for (++i; i < count && steps[i].type != TSQueryPredicateStepTypeDone; ++i) arguments.push_back(steps[i]);
    Predicate predicate;
    if (name.starts_with("not-")) {
      predicate.negated = true;
      name.erase(0, 4);
    }
    const bool known = name == "eq?" || name == "match?" || name == "any-of?";
    if (!known || arguments.size() < 2 || arguments[0].type != TSQueryPredicateStepTypeCapture) {
      error = "unknown predicate #" + name + "; expected #eq?, #match? or #any-of? with a capture and a text";
      return false;
    }
    predicate.capture = arguments[0].value_id;
    predicate.kind = name == "eq?"      ? Predicate::Kind::kEq
                     : name == "match?" ? Predicate::Kind::kMatch
                                        : Predicate::Kind::kAnyOf;
    for (size_t argument = 1; argument < arguments.size(); ++argument) {
      if (arguments[argument].type == TSQueryPredicateStepTypeCapture) {
        predicate.other = static_cast<int>(arguments[argument].value_id);
      } else {
        predicate.texts.push_back(text_of(arguments[argument].value_id));
      }
    }
    if (predicate.kind == Predicate::Kind::kMatch) {
      if (predicate.texts.empty()) {
        error = "#match? needs a pattern";
        return false;
      }
      predicate.pattern = std::make_unique<RE2>(predicate.texts[0], RE2::Quiet);
      if (!predicate.pattern->ok()) {
        error = "wrong pattern of #match?: " + predicate.pattern->error();
        return false;
      }
    }
    patterns_[pattern].predicates.push_back(std::move(predicate));
  }
  return true;
}

bool TreeProgram::Match(const Unit& unit, ThreadClock::time_point deadline,
                        std::vector<std::vector<Unit::Match>>& matches) const {
  const SyntaxTree& tree = unit.Tree();
  // A text with passed limits is not searched: queries take long on deep trees.
  if (!tree || !unit.facts().limits.empty()) return true;
  const std::unique_ptr<TSQueryCursor, CursorDeleter> cursor(ts_query_cursor_new());
  ts_query_cursor_set_match_limit(cursor.get(),
                                  static_cast<uint32_t>(std::min(kMatchLimit * queries_.size(), kMaxMatchLimit)));
  TSQueryCursorOptions options = {&deadline, &Expired};
  ts_query_cursor_exec_with_options(cursor.get(), compiled_.get(), ts_tree_root_node(tree.get()), &options);
  const std::string_view text = unit.facts().text;
  std::vector<ByteSpan> spans(capture_count_, kNoSpan);  // of the match at hand
  const auto text_of = [&](uint32_t capture) {
    const ByteSpan span = spans[capture];
    return span.begin <= span.end ? text.substr(span.begin, span.end - span.begin) : std::string_view();
  };
  const auto holds = [&](const Predicate& predicate) {
    const std::string_view value = text_of(predicate.capture);
    bool result = false;
    if (predicate.kind == Predicate::Kind::kMatch) {
      result = RE2::PartialMatch(value, *predicate.pattern);
    } else if (predicate.other >= 0) {
      result = value == text_of(static_cast<uint32_t>(predicate.other));
    } else {
      result = absl::c_linear_search(predicate.texts, value);
    }
    return result != predicate.negated;
  };
  TSQueryMatch match;
  while (ts_query_cursor_next_match(cursor.get(), &match)) {
    const Pattern& pattern = patterns_[match.pattern_index];
    const TreeQuery& query = *queries_[pattern.query];
    std::vector<Unit::Match>& rows = matches[query.number];
    if (rows.size() >= kMaxMatches) continue;
    for (uint16_t i = 0; i < match.capture_count; ++i) {
      const TSQueryCapture& capture = match.captures[i];
      spans[capture.index] = {ts_node_start_byte(capture.node), ts_node_end_byte(capture.node)};
    }
    if (absl::c_all_of(pattern.predicates, holds)) {
      Unit::Match& row = rows.emplace_back();
      row.captures.assign(query.captures.size(), kNoSpan);
      for (uint16_t i = 0; i < match.capture_count; ++i) {
        const TSQueryCapture& capture = match.captures[i];
        const uint32_t own = captures_[pattern.query][capture.index];
        const ByteSpan span = {ts_node_start_byte(capture.node), ts_node_end_byte(capture.node)};
        if (i == 0 || (own != kNoCapture && query.captures[own] == "place")) row.span = span;
        if (own != kNoCapture) row.captures[own] = span;
      }
    }
    for (uint16_t i = 0; i < match.capture_count; ++i) spans[match.captures[i].index] = kNoSpan;
  }
  return ThreadClock::now() <= deadline;
}

}  // namespace yardmaster::rules
