// The packs of this repository, read once for a program.
#ifndef YARDMASTER_TESTS_SUPPORT_SHIPPED_PACKS_H_
#define YARDMASTER_TESTS_SUPPORT_SHIPPED_PACKS_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rules/engine/commands/command_table.h"
#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/pack/pack_part.h"
#include "tests/support/source_path.h"

namespace yardmaster::testing {

inline const rules::PackFiles& ShippedPacks() {
  static const auto* const kFiles = [] {
    Problems problems;
    auto* const files = new rules::PackFiles(rules::ReadPackFiles(SourcePath("rules/packs"), problems));
    for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
    return files;
  }();
  return *kFiles;
}

// The files of one of them: a test may put others beside them.
inline rules::PackFiles ShippedPack(std::string_view name) {
  rules::PackFiles files;
  rules::ForEachPackFile(ShippedPacks(), name,
                         [&](const std::string& path, const std::string& bytes) { files[path] = bytes; });
  return files;
}

// The commands of a pack and of what it extends; null after a failure.
inline std::shared_ptr<const rules::CommandTable> CommandsOf(const rules::PackFiles& files, std::string_view pack) {
  Problems problems;
  std::optional<rules::PackModel> model = rules::LoadPack(files, pack, problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  if (!model.has_value()) return nullptr;
  return std::make_shared<const rules::CommandTable>(std::move(model->commands));
}

inline std::shared_ptr<const rules::CommandTable> ShippedCommands(const std::string& pack = "common") {
  static auto* const kTables = new std::map<std::string, std::shared_ptr<const rules::CommandTable>>();
  auto& table = (*kTables)[pack];
  if (table == nullptr) table = CommandsOf(ShippedPacks(), pack);
  return table;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_SHIPPED_PACKS_H_
