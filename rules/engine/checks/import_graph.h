// Which files of the tree Python runs when a module is imported.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_IMPORT_GRAPH_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_IMPORT_GRAPH_H_

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/functional/function_ref.h"
#include "rules/engine/checks/review_tree.h"
#include "rules/engine/checks/tree_files.h"
#include "rules/engine/checks/unit.h"
#include "rules/engine/code/facts.h"
#include "rules/engine/code/module_paths.h"

namespace yardmaster::rules {

// Follows imports that certainly run: those of the module itself and of class bodies, behind no condition, where
// nothing catches their failure. Belongs to one run.
class ImportGraph {
 public:
  explicit ImportGraph(TreeFiles& files) : files_(files) {}

  // What is run by the import statement `row` of `unit`; with kNoRow when `unit` itself is imported, it included. The
  // packages around a module are run with it. Each file once. `step` is asked before each and ends it by false; what
  // was ended is not remembered.
  const std::vector<const Unit*>& LoadedBy(const Unit& unit, RowIndex row, TreeSide side,
                                           absl::FunctionRef<bool()> step);

 private:
  ModulePaths& Modules(TreeSide side);

  TreeFiles& files_;
  std::map<std::tuple<std::string, RowIndex, TreeSide>, std::vector<const Unit*>> loaded_;
  std::map<TreeSide, ModulePaths> modules_;
  std::vector<const Unit*> ended_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_IMPORT_GRAPH_H_
