#include "rules/engine/issue_input.h"

#include <limits>
#include <utility>

#include "services/core/json_document.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// The member, or null where it is missing or JSON null.
const json* Member(const json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

bool Fail(std::string& error, std::string pointer, std::string_view expected) {
  error = std::move(pointer);
  error += ": expected ";
  error += expected;
  return false;
}

// A login, or an object that has one. Forges say in `type` what kind of account it is.
bool ReadLogin(const json& value, const std::string& pointer, std::string& login, std::optional<bool>* is_bot,
               std::string& error) {
  if (value.is_string()) {
    login = value.get<std::string>();
    return true;
  }
  if (!value.is_object()) return Fail(error, pointer, "a login or an object with \"login\"");
  if (const json* name = Member(value, "login")) {
    if (!name->is_string()) return Fail(error, PointerJoin(pointer, "login"), "a string");
    login = name->get<std::string>();
  }
  if (const json* type = Member(value, "type"); type != nullptr && is_bot != nullptr) {
    if (!type->is_string()) return Fail(error, PointerJoin(pointer, "type"), "a string");
    *is_bot = type->get_ref<const std::string&>() == "Bot";
  }
  return true;
}

bool ReadLabels(const json& value, std::vector<std::string>& labels, std::string& error) {
  const std::string pointer = "/labels_before";
  if (!value.is_array()) return Fail(error, pointer, "an array of label names");
  for (size_t i = 0; i < value.size(); ++i) {
    const json* name = &value[i];
    if (name->is_object()) name = Member(*name, "name");
    if (name == nullptr || !name->is_string()) {
      return Fail(error, PointerJoin(pointer, i), "a label name or an object with \"name\"");
    }
    labels.push_back(name->get<std::string>());
  }
  return true;
}

bool ReadComment(const json& value, const std::string& pointer, IssueInput::Comment& comment, std::string& error) {
  if (value.is_string()) {
    comment.body = value.get<std::string>();
    return true;
  }
  if (!value.is_object()) return Fail(error, pointer, "a string or an object with \"body\"");
  if (!value.contains("body")) return Fail(error, PointerJoin(pointer, "body"), "a string or null, it is missing");
  if (const json* body = Member(value, "body")) {
    if (!body->is_string()) return Fail(error, PointerJoin(pointer, "body"), "a string or null");
    comment.body = body->get<std::string>();
  }
  for (const char* key : {"user", "author"}) {
    const json* who = Member(value, key);
    if (who != nullptr && !ReadLogin(*who, PointerJoin(pointer, key), comment.author, &comment.author_is_bot, error)) {
      return false;
    }
  }
  if (const json* is_bot = Member(value, "author_is_bot")) {
    if (!is_bot->is_boolean()) return Fail(error, PointerJoin(pointer, "author_is_bot"), "true or false");
    comment.author_is_bot = is_bot->get<bool>();
  }
  return true;
}

bool Read(const json& value, IssueInput& issue, std::string& error) {
  if (!value.is_object()) {
    error = "expected a JSON object with \"number\", \"title\" and \"body\"";
    return false;
  }
  const json* number = Member(value, "number");
  if (number == nullptr) return Fail(error, "/number", "an integer, it is missing");
  const bool fits = number->is_number_integer() &&
                    (!number->is_number_unsigned() ||
                     number->get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  if (!fits) return Fail(error, "/number", "an integer of at most 64 bits");
  issue.number = number->get<int64_t>();

  const json* title = Member(value, "title");
  if (title == nullptr) return Fail(error, "/title", "a string, it is missing");
  if (!title->is_string()) return Fail(error, "/title", "a string");
  issue.title = title->get<std::string>();

  if (!value.contains("body")) return Fail(error, "/body", "a string or null, it is missing");
  if (const json* body = Member(value, "body")) {
    if (!body->is_string()) return Fail(error, "/body", "a string or null");
    issue.body = body->get<std::string>();
  }
  if (const json* author = Member(value, "author")) {
    if (!ReadLogin(*author, "/author", issue.author, nullptr, error)) return false;
  }
  if (const json* labels = Member(value, "labels_before")) {
    if (!ReadLabels(*labels, issue.labels_before.emplace(), error)) return false;
  }
  if (const json* comments = Member(value, "comments")) {
    if (!comments->is_array()) return Fail(error, "/comments", "an array of comments");
    for (size_t i = 0; i < comments->size(); ++i) {
      if (!ReadComment((*comments)[i], PointerJoin("/comments", i), issue.comments.emplace_back(), error)) return false;
    }
  }
  return true;
}

}  // namespace

IssueText IssueInput::View() const {
  IssueText view;
  view.title = title;
  view.body = body;
  view.author = author;
  view.labels_before = labels_before;
  view.comments.reserve(comments.size());
  for (const Comment& comment : comments) {
    view.comments.push_back({comment.author, comment.author_is_bot, comment.body});
  }
  return view;
}

std::optional<IssueInput> ParseIssueInput(const json& value, std::string& error) {
  IssueInput issue;
  if (!Read(value, issue, error)) return std::nullopt;
  return issue;
}

}  // namespace yardmaster::rules
