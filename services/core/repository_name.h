// Names of repositories, and patterns over them.
#ifndef YARDMASTER_SERVICES_CORE_REPOSITORY_NAME_H_
#define YARDMASTER_SERVICES_CORE_REPOSITORY_NAME_H_

#include <string>
#include <string_view>

namespace yardmaster {

// One part of a repository's name, or an account: letters, digits, ".", "_" and "-", but not "." or "..", which would
// change the path of a URL. At most 128 bytes.
bool IsNamePart(std::string_view part);

// True if `pattern` ("owner/name" or "owner/*") covers a repository. Case is ignored.
bool RepositoryMatches(std::string_view pattern, std::string_view repository);

// "owner/name": what may stand in a request to a forge.
bool IsRepositoryName(std::string_view text);

// "owner/name" or "owner/*".
bool IsRepositoryPattern(std::string_view text);

// "FORGE:owner/name", which names a repository among all forges.
std::string QualifiedName(std::string_view forge, std::string_view repository);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_REPOSITORY_NAME_H_
