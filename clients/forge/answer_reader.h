// Typed reading of forge answers. Types are not stable there: numbers come as strings, flags as 0 and 1, ids as either,
// and what one version sends as null another one leaves out. So every reader takes all spellings of a value and refuses
// only what can't be understood, naming the field. The first problem is kept; reading goes on with empty values, so
// that no call site needs a branch.
#ifndef YARDMASTER_CLIENTS_FORGE_ANSWER_READER_H_
#define YARDMASTER_CLIENTS_FORGE_ANSWER_READER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster {

// Where readers of one answer write what is wrong. Empty: nothing.
class AnswerProblem {
 public:
  bool ok() const { return text_.empty(); }
  const std::string& text() const { return text_; }
  // "labels[2].name: expected a text, got an array"
  void Add(std::string_view path, std::string_view expected, const nlohmann::json* got);

 private:
  std::string text_;
};

// One value of an answer and its place. Cheap to copy; the document must outlive it.
class AnswerReader {
 public:
  AnswerReader(const nlohmann::json* value, std::string path, AnswerProblem& problem)
      : value_(value), path_(std::move(path)), problem_(&problem) {}

  // Absent or null.
  bool empty() const { return value_ == nullptr || value_->is_null(); }
  bool is_object() const { return value_ != nullptr && value_->is_object(); }
  bool is_array() const { return value_ != nullptr && value_->is_array(); }
  bool is_text() const { return value_ != nullptr && value_->is_string(); }
  const std::string& path() const { return path_; }
  AnswerProblem& problem() const { return *problem_; }

  // A member; empty if this is no object or has none of that name.
  AnswerReader At(std::string_view key) const;
  // The first member that is neither absent nor null.
  AnswerReader FirstOf(std::initializer_list<std::string_view> keys) const;
  // Names of an object's members; none for anything else.
  std::vector<std::string> Names() const;
  // Elements of an array; 0 for anything else.
  size_t size() const { return is_array() ? value_->size() : 0; }
  AnswerReader Element(size_t index) const;

  // Text, number or flag, as text. Empty values are a problem.
  std::string Text() const;
  // The same, but an empty value is an empty text.
  std::string OptionalText() const;
  // A text where there is one, else an empty text: for what no decision depends on. Never a problem.
  std::string Hint() const;
  // A whole number, or a text that is one. Flags are no numbers.
  int64_t Number() const;
  int64_t OptionalNumber(int64_t otherwise) const;
  // As OptionalNumber, but never a problem.
  int64_t NumberHint(int64_t otherwise) const;
  // A flag, a number (0 is false) or one of their names as text. An empty value is false.
  bool Flag() const;

  // A problem unless this is an array (empty values count as an empty one) or an object.
  void ExpectArray() const;
  void ExpectObject() const;

 private:
  std::optional<std::string> ReadText() const;
  std::optional<int64_t> ReadNumber() const;

  const nlohmann::json* value_;
  std::string path_;
  AnswerProblem* problem_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_ANSWER_READER_H_
