// Paths as tools write them, and as a repository knows them.
#ifndef YARDMASTER_SERVICES_REVIEW_IMPORT_REPOSITORY_PATH_H_
#define YARDMASTER_SERVICES_REVIEW_IMPORT_REPOSITORY_PATH_H_

#include <optional>
#include <string>
#include <string_view>

namespace yardmaster {

// `path` relative to the repository, without "." and "..". An absolute path must lie below `root`, a relative one is
// relative to it. nullopt: it leaves the repository, names none of its files, or is no path that git could have
// (control characters, bytes that are no UTF-8, over its limit).
std::optional<std::string> RepositoryPath(std::string_view path, std::string_view root);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_IMPORT_REPOSITORY_PATH_H_
