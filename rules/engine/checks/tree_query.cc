#include "rules/engine/checks/tree_query.h"

#include <algorithm>

namespace yardmaster::rules {
namespace {

struct CursorDeleter {
  void operator()(TSQueryCursor* cursor) const { ts_query_cursor_delete(cursor); }
};

// Matches that are kept of one file.
constexpr size_t kMaxMatches = 10'000;
// Partial matches that tree-sitter may keep; more are dropped, which bounds time on hostile texts.
constexpr uint32_t kMatchLimit = 256;

bool Expired(TSQueryCursorState* state) {
  return std::chrono::steady_clock::now() > *static_cast<std::chrono::steady_clock::time_point*>(state->payload);
}

std::string_view ErrorName(TSQueryError error) {
  switch (error) {
    case TSQueryErrorSyntax:
      return "syntax error";
    case TSQueryErrorNodeType:
      return "unknown node";
    case TSQueryErrorField:
      return "unknown field";
    case TSQueryErrorCapture:
      return "unknown capture";
    case TSQueryErrorStructure:
      return "impossible structure";
    default:
      return "wrong language";
  }
}

}  // namespace

bool TreeQuery::Check(std::string& error) {
  for (const Language language : languages_) {
    const TSLanguage* grammar = language == Language::kMarkdown ? nullptr : GrammarOf(language);
    if (grammar == nullptr) {
      error = "there is no grammar of " + std::string(LanguageName(language));
      return false;
    }
    uint32_t offset = 0;
    TSQueryError type = TSQueryErrorNone;
    Compiled compiled;
    compiled.language = language;
    compiled.query.reset(ts_query_new(grammar, text_.data(), static_cast<uint32_t>(text_.size()), &offset, &type));
    if (!compiled.query) {
      error = std::string(ErrorName(type)) + " at character " + std::to_string(offset + 1) + " for " +
              std::string(LanguageName(language));
      return false;
    }
    for (uint32_t i = 0; i < ts_query_capture_count(compiled.query.get()); ++i) {
      uint32_t length = 0;
      const char* name = ts_query_capture_name_for_id(compiled.query.get(), i, &length);
      const std::string text(name, length);
      const auto found = std::find(captures_.begin(), captures_.end(), text);
      compiled.captures.push_back(static_cast<uint32_t>(found - captures_.begin()));
      if (found == captures_.end()) captures_.push_back(text);
    }
    if (!ReadPredicates(compiled, error)) return false;
    compiled_.push_back(std::move(compiled));
  }
  if (captures_.empty()) {
    error = "it captures nothing; expected at least one capture such as @place";
    return false;
  }
  return true;
}

bool TreeQuery::ReadPredicates(Compiled& compiled, std::string& error) const {
  TSQuery* query = compiled.query.get();
  const auto text_of = [&](uint32_t id) {
    uint32_t length = 0;
    const char* text = ts_query_string_value_for_id(query, id, &length);
    return std::string(text, length);
  };
  compiled.predicates.resize(ts_query_pattern_count(query));
  for (uint32_t pattern = 0; pattern < compiled.predicates.size(); ++pattern) {
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
        predicate.pattern = std::make_shared<RE2>(predicate.texts[0], RE2::Quiet);
        if (!predicate.pattern->ok()) {
          error = "wrong pattern of #match?: " + predicate.pattern->error();
          return false;
        }
      }
      compiled.predicates[pattern].push_back(std::move(predicate));
    }
  }
  return true;
}

bool TreeQuery::Match(const Unit& unit, std::chrono::steady_clock::time_point deadline) const {
  unit.matches.clear();
  const auto compiled = std::find_if(compiled_.begin(), compiled_.end(),
                                     [&](const Compiled& one) { return one.language == unit.facts().language; });
  // A text with passed limits is not searched: queries take long on deep trees.
  if (compiled == compiled_.end() || !unit.facts().limits.empty()) return true;
  const SyntaxTree& tree = unit.Tree();
  if (!tree) return true;
  const std::unique_ptr<TSQueryCursor, CursorDeleter> cursor(ts_query_cursor_new());
  ts_query_cursor_set_match_limit(cursor.get(), kMatchLimit);
  TSQueryCursorOptions options = {&deadline, &Expired};
  ts_query_cursor_exec_with_options(cursor.get(), compiled->query.get(), ts_tree_root_node(tree.get()),
                                    &options);
  const std::string_view text = unit.facts().text;
  TSQueryMatch match;
  while (ts_query_cursor_next_match(cursor.get(), &match)) {
    Unit::Match row;
    row.captures.assign(captures_.size(), ByteSpan{1, 0});
    std::vector<ByteSpan> spans(ts_query_capture_count(compiled->query.get()), ByteSpan{1, 0});
    for (uint16_t i = 0; i < match.capture_count; ++i) {
      const TSQueryCapture& capture = match.captures[i];
      const ByteSpan span = {ts_node_start_byte(capture.node), ts_node_end_byte(capture.node)};
      spans[capture.index] = span;
      row.captures[compiled->captures[capture.index]] = span;
      if (i == 0 || captures_[compiled->captures[capture.index]] == "place") row.span = span;
    }
    const auto text_of = [&](uint32_t capture) {
      const ByteSpan span = spans[capture];
      return span.begin <= span.end ? text.substr(span.begin, span.end - span.begin) : std::string_view();
    };
    const auto holds = [&](const Predicate& predicate) {
      const std::string_view value = text_of(predicate.capture);
      bool result = false;
      if (predicate.kind == Predicate::Kind::kMatch) {
        result = RE2::PartialMatch(re2::StringPiece(value.data(), value.size()), *predicate.pattern);
      } else if (predicate.other >= 0) {
        result = value == text_of(static_cast<uint32_t>(predicate.other));
      } else {
        result = std::find(predicate.texts.begin(), predicate.texts.end(), value) != predicate.texts.end();
      }
      return result != predicate.negated;
    };
    const auto& predicates = compiled->predicates[match.pattern_index];
    if (!std::all_of(predicates.begin(), predicates.end(), holds)) continue;
    unit.matches.push_back(std::move(row));
    if (unit.matches.size() >= kMaxMatches) break;
  }
  return std::chrono::steady_clock::now() <= deadline;
}

}  // namespace yardmaster::rules
