#include "clients/forge/names.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/http.h"
#include "clients/forge/limits.h"
#include "services/core/absl_view.h"
#include "services/core/limits.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// "." and ".." would climb in the URL's path.
bool IsNamePart(std::string_view part) {
  return !part.empty() && part != "." && part != ".." &&
         std::all_of(part.begin(), part.end(), [](char c) { return IsNameCharacter(c) || c == '.'; });
}

bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

absl::Status CheckRepository(std::string_view repository) {
  const size_t slash = repository.find('/');
  if (repository.size() > kMaxNameBytes || slash == std::string_view::npos ||
      !IsNamePart(repository.substr(0, slash)) || !IsNamePart(repository.substr(slash + 1))) {
    return InvalidForgeInput(absl::StrCat("not a repository: ", Quoted(repository), "; expected OWNER/NAME"));
  }
  return absl::OkStatus();
}

absl::Status CheckSubject(const ForgeSubject& subject) {
  RETURN_IF_ERROR(CheckRepository(subject.repository));
  if (subject.number < 1) {
    return InvalidForgeInput(absl::StrCat("not a number of an issue or pull request: ", subject.number));
  }
  return absl::OkStatus();
}

absl::Status CheckLabels(const std::vector<std::string>& labels, const LabelRules& rules) {
  if (labels.empty()) return InvalidForgeInput("no labels to add");
  if (labels.size() > kMaxLabelsPerCall) {
    return InvalidForgeInput(
        absl::StrCat(labels.size(), " labels in one call; at most ", kMaxLabelsPerCall, " are possible"));
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string& label = labels[i];
    const std::string quoted = Quoted(label);
    if (!IsValidUtf8(label) || HasControlCharacter(label)) {
      return InvalidForgeInput(absl::StrCat("the label ", quoted, " is not printable UTF-8"));
    }
    if (label.find(',') != std::string::npos) {
      return InvalidForgeInput(absl::StrCat("the label ", quoted, " has a comma, which separates labels"));
    }
    const size_t characters = CountCharacters(label);
    if (characters < rules.min_characters || characters > rules.max_characters) {
      return InvalidForgeInput(absl::StrCat("the label ", quoted, " has ", characters, " characters; this forge takes ",
                                            rules.min_characters, " to ", rules.max_characters));
    }
    if (std::find(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(i), label) !=
        labels.begin() + static_cast<std::ptrdiff_t>(i)) {
      return InvalidForgeInput(absl::StrCat("the label ", quoted, " stands twice in one call"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckComment(std::string_view body, size_t max_characters) {
  if (body.empty()) return InvalidForgeInput("an empty comment");
  if (!IsValidUtf8(body)) return InvalidForgeInput("the comment is not UTF-8");
  if (body.find('\0') != std::string_view::npos) return InvalidForgeInput("the comment has a NUL character");
  const size_t characters = CountCharacters(body);
  if (characters > max_characters) {
    return InvalidForgeInput(
        absl::StrCat("the comment has ", characters, " characters; this forge takes ", max_characters));
  }
  return absl::OkStatus();
}

absl::Status CheckId(std::string_view what, std::string_view id) {
  if (id.empty() || id.size() > kMaxNameBytes || !std::all_of(id.begin(), id.end(), IsNameCharacter)) {
    return InvalidForgeInput(absl::StrCat("not an id of a ", Abs(what), ": ", Quoted(id)));
  }
  return absl::OkStatus();
}

absl::Status CheckLogin(std::string_view login) {
  if (login.empty() || login.size() > kMaxNameBytes || login == "." || login == ".." || HasControlCharacter(login) ||
      !IsValidUtf8(login)) {
    return InvalidForgeInput(absl::StrCat("not the name of an account: ", Quoted(login)));
  }
  return absl::OkStatus();
}

absl::Status CheckNamePart(std::string_view what, std::string_view name) {
  if (name.size() > kMaxNameBytes || !IsNamePart(name)) {
    return InvalidForgeInput(absl::StrCat("not the name of a ", Abs(what), ": ", Quoted(name)));
  }
  return absl::OkStatus();
}

absl::Status CheckPath(std::string_view path) {
  bool good = !path.empty() && path.size() <= kMaxForgePathBytes && !HasControlCharacter(path) && IsValidUtf8(path) &&
              path.back() != '/';
  for (std::string_view rest = path; good && !rest.empty();) {
    const size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, end);
    good = !part.empty() && part != "." && part != "..";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return good ? absl::OkStatus() : InvalidForgeInput(absl::StrCat("not a path in a repository: ", Quoted(path)));
}

absl::Status CheckRef(std::string_view ref) {
  if (ref.size() > kMaxForgePathBytes || HasControlCharacter(ref) || !IsValidUtf8(ref)) {
    return InvalidForgeInput(absl::StrCat("not a branch, tag or commit: ", Quoted(ref)));
  }
  return absl::OkStatus();
}

absl::Status CheckCommit(std::string_view commit) {
  const bool hex = absl::c_all_of(commit, [](char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); });
  if (hex && (commit.size() == 40 || commit.size() == 64)) return absl::OkStatus();
  return InvalidForgeInput(absl::StrCat("not the full name of a commit: ", Quoted(commit)));
}

absl::Status CheckLabelPart(std::string_view label) {
  // "." and ".." would climb in the URL's path.
  if (label == "." || label == "..") return InvalidForgeInput("\".\" and \"..\" can't be taken off");
  // The forge's own rules do not matter: a label that it has can be taken off.
  return CheckLabels({std::string(label)}, {1, kMaxNameBytes});
}

std::string EncodePath(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (!out.empty()) out += '/';
    out += UrlEncode(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace yardmaster
