#include "services/worker/verdict/completion.h"

#include <re2/re2.h>

#include <utility>

#include "services/core/lines.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/line_kinds.h"

namespace yardmaster::worker {
namespace {

constexpr int kLinesOfCheck = 4;
// What is wrong may stand below the name of where.
constexpr int kLinesOfCounted = 2;
// What stands below the name of an exception alone.
constexpr int kLinesOfMessage = 3;
constexpr int kLinesOfBlock = 6;
// So far below a sentence, the heading of its cause is looked for, and what stands below that.
constexpr int kLinesOfSentence = 3;

// "*----- ERROR -----*", "[ERROR]".
bool IsOnlyError(std::string_view text) {
  static const RE2 kOnly(R"((?i)^\W*(?:fatal |critical )?(?:error|failure|exception|failed)s?\W*$)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kOnly);
}

// "1 validation error for ModelConfig", "2 root error(s) found.".
bool CountsErrors(std::string_view text) {
  static const RE2 kCounts(R"((?i)\b\d+ (?:[a-z]+ )?errors?(?:\(s\))?(?: (?:for \S+|found|occurred|detected))?[.:]?$)",
                           RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kCounts);
}

// "[attention_fwd]": of what is said below.
bool IsNameInBrackets(std::string_view text) {
  static const RE2 kName(R"(^\[[\w.:-]+\]$)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kName);
}

// "Last error:".
bool IsHeadingOfCause(std::string_view text) {
  static const RE2 kHeading(R"((?i)^(?:last|original|underlying|inner|root) (?:error|cause|exception)s?:$)",
                            RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kHeading);
}

// A library of C names the code of its error below the exception that only says where: "xcclInternalError: …".
bool NamesCode(std::string_view text) {
  static const RE2 kCode(R"(^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*(?:Error|Invalid|Fail)\w*: \S)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kCode);
}

// Drivers of devices tell why a call failed below it, as a field of a longer text.
std::string ReasonIn(std::string_view text) {
  static const RE2 kReason(R"((?:\b(?:RecentErrMsg|errorStr)|^\[Error\]): (\S.*?)(?: fixp_error\d|$))", RE2::Latin1);
  std::string reason;
  if (!RE2::PartialMatch(Piece(text), kReason, &reason) || reason.ends_with("Inner Error!")) return "";
  return reason;
}

}  // namespace

bool IsBareException(std::string_view text) {
  static const RE2 kName(R"(^(?:E\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*[a-z]\w*:?\s*$)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kName);
}

bool IsPlaceOnly(std::string_view line) {
  static const RE2 kPlace(R"(^(?:\S+:\d+|unknown file)(?:: Failure)?$)", RE2::Latin1);
  return RE2::PartialMatch(Piece(line), kPlace);
}

Completion::Completion(std::string_view said) : wanted_(1) {
  static const RE2 kSource(R"(\bat \d+:\d+:$)", RE2::Latin1);
  indent_ = IndentOf(said);
  said = TrimBlanks(said);
  if (IsPlaceOnly(said) || said == "Expected:") {
    kind_ = Kind::kCheck;
    wanted_ = kLinesOfCheck;
  } else if (RE2::PartialMatch(Piece(said), kSource)) {
    kind_ = Kind::kSource;
  } else if (said.starts_with("terminate called after throwing ")) {
    kind_ = Kind::kTerminate;
  } else if (said.ends_with("error stack:")) {
    kind_ = Kind::kStack;
  } else if (said.starts_with("CMake Error") && said.ends_with(':')) {
    kind_ = Kind::kBlock;
    wanted_ = kLinesOfBlock;
  } else if (said.ends_with(':') || IsOnlyError(said)) {
    kind_ = Kind::kHeading;
    if (IsBareException(said)) wanted_ = kLinesOfMessage;
    in_frames_ = said.ends_with("Traceback (most recent call last):");
  } else if (CountsErrors(said)) {
    kind_ = Kind::kHeading;
    wanted_ = kLinesOfCounted;
  } else {
    wanted_ = kLinesOfSentence;
  }
}

bool Completion::Next(std::string_view text) {
  const bool marked = IsErrorLine(text);
  if (marked) text.remove_prefix(1);
  if (kind_ == Kind::kHeading && !below_.empty() && marked != in_marked_) return false;
  in_marked_ = marked;
  if (kind_ == Kind::kBlock && SaysAnything(text) && IndentOf(text) <= indent_) return false;
  text = TrimBlanks(text);
  if (!SaysAnything(text)) {
    marked_ = marked_ || text == "^";
    if (kind_ == Kind::kHeading && !marked && !below_.empty()) return false;
    return kind_ != Kind::kSentence && (kind_ != Kind::kCheck || below_.empty());
  }
  if (kind_ == Kind::kCheck && text.starts_with('[')) return false;
  if (kind_ == Kind::kBlock && text.starts_with("Call Stack ")) return false;
  if (kind_ == Kind::kHeading && in_frames_ && IsShown(text)) return true;
  if (kind_ == Kind::kStack) {
    static const RE2 kCall(R"(^\S+\(\d+\)\.*: *(.*)$)", RE2::Latin1);
    std::string words;
    if (!RE2::PartialMatch(Piece(text), kCall, &words)) return false;
    if (!words.empty()) below_ = std::move(words);
    return true;
  }
  if (std::string reason = kind_ == Kind::kSentence ? ReasonIn(text) : ""; !reason.empty()) {
    below_ = std::move(reason);
    named_ = true;
    return false;
  }
  if (kind_ == Kind::kSource && marked_) below_.clear();
  if (kind_ == Kind::kSource && !marked_ && !below_.empty()) return true;
  if (kind_ == Kind::kSentence && coded_ && !named_ && !IsHeadingOfCause(text)) return false;
  below_ += Concat(below_.empty() ? "" : " ", text);
  if (kind_ == Kind::kSource) return !marked_;
  // Containers and their tools say one heading below another: "runc create failed:", "error during container init:".
  const bool heads = text.ends_with(':') || IsNameInBrackets(text);
  if (kind_ == Kind::kHeading && heads && ++headings_ < kLinesOfMessage) return true;
  if (kind_ == Kind::kSentence && IsHeadingOfCause(text)) {
    named_ = true;
    wanted_ = 2;
  } else if (kind_ == Kind::kSentence && wanted_ == kLinesOfSentence) {
    coded_ = NamesCode(text);
  }
  return --wanted_ > 0;
}

std::string Completion::Take() {
  if (kind_ == Kind::kSentence && !named_ && !coded_) return "";
  if (kind_ == Kind::kTerminate && !below_.starts_with("what():")) return "";
  return below_.starts_with("Traceback (most recent call last)") ? std::string() : std::move(below_);
}

}  // namespace yardmaster::worker
