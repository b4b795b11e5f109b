// Checks of what goes into requests. Names come from payloads, packs and people; nothing that would change the path of
// a URL or that a forge is known to refuse gets as far as a request.
#ifndef YARDMASTER_CLIENTS_FORGE_NAMES_H_
#define YARDMASTER_CLIENTS_FORGE_NAMES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "clients/forge/forge.h"

namespace yardmaster {

// All: OK, or INVALID_ARGUMENT with kInvalidInput, kNotSent.
absl::Status CheckRepository(std::string_view repository);  // "owner/name"
absl::Status CheckSubject(const ForgeSubject& subject);
// At least one, none twice. No commas and control characters: lists of labels are written with commas.
absl::Status CheckLabels(const std::vector<std::string>& labels, const LabelRules& rules);
absl::Status CheckComment(std::string_view body, size_t max_characters);
// Ids of hooks and deliveries: letters, digits, "-" and "_".
absl::Status CheckId(std::string_view what, std::string_view id);

// An account: one part of a path after encoding.
absl::Status CheckLogin(std::string_view login);
// An organisation or the slug of a team.
absl::Status CheckNamePart(std::string_view what, std::string_view name);
// A file's path in a repository: relative, UTF-8, no empty parts, no "." and "..", no control characters.
absl::Status CheckPath(std::string_view path);
// A branch, tag or commit as it goes into a query; may be empty.
absl::Status CheckRef(std::string_view ref);
// A commit's full name: 40 or 64 hex digits.
absl::Status CheckCommit(std::string_view commit);
// One label that is to be taken off: it becomes a part of a path.
absl::Status CheckLabelPart(std::string_view label);

// The parts of a checked "owner/name".
inline std::string_view OwnerOf(std::string_view repository) { return repository.substr(0, repository.find('/')); }
inline std::string_view NameOf(std::string_view repository) { return repository.substr(repository.find('/') + 1); }

// A checked path for an URL: every part encoded, "/" between them.
std::string EncodePath(std::string_view path);

// Unicode code points of well-formed UTF-8.
size_t CountCharacters(std::string_view text);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_NAMES_H_
