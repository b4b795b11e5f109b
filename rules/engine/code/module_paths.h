// Which files of a tree Python's imports name.
#ifndef YARDMASTER_RULES_ENGINE_CODE_MODULE_PATHS_H_
#define YARDMASTER_RULES_ENGINE_CODE_MODULE_PATHS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

class ModulePaths {
 public:
  // All paths of the tree, sorted; they outlive this.
  explicit ModulePaths(const std::vector<std::string>& paths) : paths_(paths) {}

  bool Has(const std::string& path) const;
  // The files that an import in `importer` names, without the packages around them; none where it is from elsewhere.
  std::vector<std::string> Named(const std::string& importer, const ImportFact& import);
  // The packages around a file that are run with it, the nearest first.
  std::vector<std::string> PackagesAround(const std::string& file) const;

 private:
  // Where a package or module of this name lies: beside the importing file's own package, else nearest to the root.
  std::optional<std::string> FolderOfRoot(const std::string& importer, std::string_view root);

  const std::vector<std::string>& paths_;
  std::map<std::string, std::optional<std::string>, std::less<>> roots_;
};

// "" for what lies at the root, else with a "/" at the end.
std::string FolderOfPath(std::string_view path);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_MODULE_PATHS_H_
