// Reads packs from folders or memory: JSON with limits, validated against rules/schema/, merged with the packs they
// extend.
#ifndef YARDMASTER_RULES_ENGINE_PACK_PACK_LOADER_H_
#define YARDMASTER_RULES_ENGINE_PACK_PACK_LOADER_H_

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pack/pack_model.h"
#include "services/core/memo.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// The files of all packs: path relative to the packs folder ("pypto/rubric.json") → bytes.
using PackFiles = std::map<std::string, std::string, std::less<>>;

// Limits of a packs folder.
inline constexpr size_t kMaxPackFileBytes = 4 * 1024 * 1024;
inline constexpr size_t kMaxPackFiles = 2000;
inline constexpr size_t kMaxPackBytes = 64 * 1024 * 1024;  // all files together
inline constexpr size_t kMaxPackFileValues = 200'000;      // JSON values of one file
inline constexpr size_t kMaxExtendsDepth = 8;

// Reads every *.json below the folders of `packs_dir`. Symbolic links that leave the folder, too large files and
// unreadable ones are problems. A missing packs folder is a problem.
PackFiles ReadPackFiles(const std::filesystem::path& packs_dir, Problems& problems);

// The same for one pack by its own folder; the paths begin with the folder's name, as if it lay in a packs folder.
PackFiles ReadPackFolder(const std::filesystem::path& pack_dir, Problems& problems);

// Names of the packs in `files`: folders with a pack.json, sorted.
std::vector<std::string> PackNames(const PackFiles& files);

// Loads one pack with everything it extends. Adds all problems of all files involved at once; returns nullopt if there
// was any. Pure: looks at nothing but `files`.
std::optional<PackModel> LoadPack(const PackFiles& files, std::string_view name, Problems& problems);

// LoadPack for many packs of one folder: what several of them extend is read once. Safe to use from many threads at
// once.
class PackLoader {
 public:
  // `files` must outlive the loader.
  explicit PackLoader(const PackFiles& files) : files_(files) {}
  std::optional<PackModel> Load(std::string_view name, Problems& problems);

 private:
  struct ReadPart;
  std::shared_ptr<const ReadPart> Read(const std::string& name);

  const PackFiles& files_;
  Memo<std::string, ReadPart> parts_;
};

// Gives problems that name a pointer the exact line and column of the value there; the rules know only where they begin
// themselves.
void LocateProblems(const PackFiles& files, Problems& problems);

// The pack and what it extends, in that order, as far as the pack.json files can be read. For telling whose problems
// are whose; LoadPack reports what is wrong with the chain itself.
std::vector<std::string> PackChain(const PackFiles& files, std::string_view name);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_PACK_LOADER_H_
