#include "rules/engine/suites/load_suites.h"

#include <cstddef>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/pack/pack_part.h"
#include "rules/engine/suites/suite_file.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

// Its signatures hold for every pack, whether it extends this one or not.
constexpr std::string_view kSharedPack = "common";

// Models by id, those of the pack itself before those that it inherits. What a pack says replaces what it inherits
// under the same id.
template <typename Model>
class Merged {
 public:
  explicit Merged(std::string what) : what_(std::move(what)) {}

  // Packs come in the order of the chain: the pack itself first.
  void Add(const std::string& pack, const std::string& file, const PlacedModel<Model>& placed, Problems& problems) {
    const auto [it, inserted] =
        first_.try_emplace(placed.model.id, Owner{pack, file + ":" + std::to_string(placed.line)});
    if (inserted) {
      models_.push_back(placed.model);
    } else if (it->second.pack == pack) {
      problems.push_back({file, placed.pointer + "/id", placed.line, 0,
                          "the " + what_ + " " + Quoted(placed.model.id) + " is there already: " + it->second.place +
                              "; expected each once in a pack"});
    }
  }

  std::vector<Model>& models() { return models_; }

 private:
  struct Owner {
    std::string pack;
    std::string place;
  };
  const std::string what_;
  std::map<std::string, Owner> first_;
  std::vector<Model> models_;
};

void CheckRecipes(const SuiteFile& file, const std::vector<RecoveryRecipe>& recipes, Problems& problems) {
  for (const SuiteFile::Reference& reference : file.recipe_references) {
    const auto recipe = absl::c_find_if(recipes, [&](const RecoveryRecipe& one) { return one.id == reference.id; });
    std::string message;
    if (recipe == recipes.end()) {
      std::vector<std::string_view> known;
      known.reserve(recipes.size());
      for (const RecoveryRecipe& one : recipes) known.push_back(one.id);
      message = "expected a recipe of this pack or of those that it extends, got " + Quoted(reference.id) +
                DidYouMean(reference.id, known);
    } else if (!recipe->applicable) {
      message = "the recipe " + Quoted(reference.id) + " is for people; expected one with \"apply\"";
    } else {
      continue;
    }
    problems.push_back({file.file, reference.pointer, reference.line, 0, std::move(message)});
  }
}

}  // namespace

// One file by itself, and what is wrong in it.
struct SuiteLoader::ReadFile {
  std::optional<SuiteFile> file;
  Problems problems;
};

// A pack with those that it extends.
class SuiteLoader::Chain {
 public:
  Chain(SuiteLoader& loader, std::string_view pack, Problems& problems)
      : loader_(loader), pack_(pack), problems_(problems) {}

  std::shared_ptr<const SuiteSet> Load() {
    const size_t before = problems_.size();
    const std::vector<std::string> chain = PackChain(loader_.files_, pack_);
    for (const std::string& pack : chain) ReadPack(pack, false);
    if (!absl::c_linear_search(chain, kSharedPack)) ReadPack(std::string(kSharedPack), true);
    for (const auto& read : read_) CheckRecipes(*read->file, recipes_.models(), problems_);
    if (problems_.size() != before) {
      LocateProblems(loader_.files_, problems_);
      return nullptr;
    }

    auto set = std::make_shared<SuiteSet>();
    set->pack = pack_;
    set->suites = std::move(suites_.models());
    absl::c_sort(set->suites, [](const SuiteModel& a, const SuiteModel& b) { return a.id < b.id; });
    set->signatures = std::move(signatures_.models());
    absl::c_stable_sort(set->signatures,
                        [](const FailureSignature& a, const FailureSignature& b) { return a.priority < b.priority; });
    set->recipes = std::move(recipes_.models());
    return set;
  }

 private:
  void ReadPack(const std::string& pack, bool signatures_only) {
    if (!signatures_only && loader_.files_.find(pack + "/pack.json") == loader_.files_.end()) {
      problems_.push_back({Readable(pack) + "/pack.json", "", 0, 0, "missing file; every pack has one"});
      return;
    }
    ForEachPackFile(loader_.files_, pack, [&](const std::string& path, const std::string& bytes) {
      const SuiteFileKind kind = SuiteFileKindOf(std::string_view(path).substr(pack.size() + 1));
      if (kind == SuiteFileKind::kNone || (signatures_only && kind != SuiteFileKind::kSignatures)) return;
      const std::shared_ptr<const ReadFile> read = loader_.read_.Get(path, [&] {
        auto made = std::make_shared<ReadFile>();
        made->file = ReadSuiteFile(kind, Readable(path, 200), bytes, pack, made->problems);
        return std::shared_ptr<const ReadFile>(std::move(made));
      });
      problems_.insert(problems_.end(), read->problems.begin(), read->problems.end());
      if (!read->file) return;
      const SuiteFile& file = *read->file;
      for (const auto& suite : file.suites) suites_.Add(pack, file.file, suite, problems_);
      for (const auto& signature : file.signatures) signatures_.Add(pack, file.file, signature, problems_);
      for (const auto& recipe : file.recipes) recipes_.Add(pack, file.file, recipe, problems_);
      read_.push_back(read);
    });
  }

  SuiteLoader& loader_;
  const std::string pack_;
  Problems& problems_;
  Merged<SuiteModel> suites_{"suite"};
  Merged<FailureSignature> signatures_{"signature"};
  Merged<RecoveryRecipe> recipes_{"recipe"};
  std::vector<std::shared_ptr<const ReadFile>> read_;
};

std::shared_ptr<const SuiteSet> SuiteLoader::Load(std::string_view pack, Problems& problems) {
  return Chain(*this, pack, problems).Load();
}

std::shared_ptr<const SuiteSet> LoadSuites(const PackFiles& files, std::string_view pack, Problems& problems) {
  return SuiteLoader(files).Load(pack, problems);
}

std::optional<std::vector<SuiteModel>> OwnSuites(const PackFiles& files, std::string_view pack, Problems& problems) {
  const size_t before = problems.size();
  std::vector<SuiteModel> suites;
  ForEachPackFile(files, pack, [&](const std::string& path, const std::string& bytes) {
    if (SuiteFileKindOf(std::string_view(path).substr(pack.size() + 1)) != SuiteFileKind::kSuites) return;
    std::optional<SuiteFile> file = ReadSuiteFile(SuiteFileKind::kSuites, Readable(path, 200), bytes, pack, problems);
    if (!file) return;
    for (PlacedModel<SuiteModel>& suite : file->suites) suites.push_back(std::move(suite.model));
  });
  if (problems.size() != before) {
    LocateProblems(files, problems);
    return std::nullopt;
  }
  return suites;
}

std::shared_ptr<const SuiteModel> LoadSuiteManifest(std::string_view file, std::string_view bytes,
                                                    std::string_view pack, Problems& problems) {
  std::optional<SuiteFile> read = ReadSuiteFile(SuiteFileKind::kSuites, file, bytes, pack, problems);
  if (!read) return nullptr;
  if (read->suites.size() != 1) {
    problems.push_back({std::string(file), "/suites", 0, 0,
                        "expected one suite in the file, got " + std::to_string(read->suites.size())});
    return nullptr;
  }
  return std::make_shared<const SuiteModel>(std::move(read->suites[0].model));
}

}  // namespace yardmaster::rules
