// Where SARIF says that a result is: URIs, absolute or relative to bases that the run names, as paths.
#ifndef YARDMASTER_SERVICES_REVIEW_IMPORT_SARIF_PATHS_H_
#define YARDMASTER_SERVICES_REVIEW_IMPORT_SARIF_PATHS_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace yardmaster::sarif {

// The path of an artifactLocation of `run`: absolute for a file: URI, else relative. A base (uriBaseId) that the run
// does not know is the repository, and so is an absolute base where `root` is empty. Empty: the location names no file.
// nullopt: its URI is none of a file.
std::optional<std::string> PathOfLocation(const nlohmann::json& run, const nlohmann::json& location,
                                          std::string_view root);

}  // namespace yardmaster::sarif

#endif  // YARDMASTER_SERVICES_REVIEW_IMPORT_SARIF_PATHS_H_
