// An issue as it stands in a line of `yard triage eval`, a case of a pack or a request, with its texts owned.
#ifndef YARDMASTER_RULES_ENGINE_ISSUE_INPUT_H_
#define YARDMASTER_RULES_ENGINE_ISSUE_INPUT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/decision.h"

namespace yardmaster::rules {

struct IssueInput {
  struct Comment {
    std::string author;
    std::optional<bool> author_is_bot;
    std::string body;
  };
  int64_t number = 0;
  std::string title;
  std::string body;
  std::string author;
  std::optional<std::vector<std::string>> labels_before;
  std::vector<Comment> comments;

  // Views into this object: it must outlive them.
  IssueText View() const;
};

// Reads {number, title, body, labels_before?, comments?, author?}. Other keys are ignored and never reach the
// classifier. `body` may be null; `labels_before` holds strings or {"name": …} objects; a comment is a string or an
// object with `body` (may be null) and optionally `author` or `user` (a login, or an object with `login` and `type`:
// "Bot" means a bot) and `author_is_bot`. On failure returns nullopt and, in `error`, the key and what was expected.
std::optional<IssueInput> ParseIssueInput(const nlohmann::json& value, std::string& error);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_ISSUE_INPUT_H_
