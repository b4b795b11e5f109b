// The packs in service: loaded and compiled all at once, swapped atomically, and kept when a reload finds anything
// wrong.
#ifndef YARDMASTER_SERVICES_PACKS_REGISTRY_PACK_REGISTRY_H_
#define YARDMASTER_SERVICES_PACKS_REGISTRY_PACK_REGISTRY_H_

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/phrases/phrase_set.h"
#include "rules/engine/pipeline/profile.h"
#include "services/core/config/shadow_config.h"
#include "services/core/problem.h"

namespace yardmaster {

// All packs of one load, by name. Immutable; whoever holds one can go on using it after a reload.
class PackSet {
 public:
  using Packs = std::map<std::string, std::shared_ptr<const rules::CompiledPack>, std::less<>>;
  using Checks = std::map<std::string, std::shared_ptr<const rules::CheckSet>, std::less<>>;
  using Phrases = std::map<std::string, std::shared_ptr<const rules::PhraseSet>, std::less<>>;
  using Pipelines = std::map<std::string, std::shared_ptr<const rules::PipelineProfile>, std::less<>>;
  explicit PackSet(Packs packs, Checks checks = {}, Phrases phrases = {}, Pipelines pipelines = {})
      : packs_(std::move(packs)),
        checks_(std::move(checks)),
        phrases_(std::move(phrases)),
        pipelines_(std::move(pipelines)) {}

  // nullptr if there is no pack of that name.
  std::shared_ptr<const rules::CompiledPack> Find(std::string_view name) const;
  const Packs& packs() const { return packs_; }
  const Checks& checks() const { return checks_; }
  // The review checks of a pack; nullptr if there is no such pack.
  std::shared_ptr<const rules::CheckSet> FindChecks(std::string_view name) const;
  // The phrases that hold for a pack: its own or those of the nearest pack that it builds on. nullptr if there is no
  // such pack.
  std::shared_ptr<const rules::PhraseSet> FindPhrases(std::string_view name) const;
  // How the gate of the pack's project speaks; nullptr if the pack does not say, or there is no such pack.
  std::shared_ptr<const rules::PipelineProfile> FindPipeline(std::string_view name) const;
  const Pipelines& pipelines() const { return pipelines_; }

  // Other revisions that run beside these packs: by ShadowConfig::Key, all packs as they would be with it in service.
  using Shadows = std::map<std::string, std::shared_ptr<const PackSet>, std::less<>>;
  // nullptr if there is none.
  std::shared_ptr<const PackSet> FindShadow(std::string_view key) const;
  // The same packs, which are shared, with another revision of one of them.
  std::shared_ptr<const PackSet> Replacing(const std::string& name, std::shared_ptr<const rules::CompiledPack> pack,
                                           std::shared_ptr<const rules::CheckSet> checks) const;
  // The same packs with these shadows.
  std::shared_ptr<const PackSet> With(Shadows shadows) const;

 private:
  Packs packs_;
  Checks checks_;
  Phrases phrases_;
  Pipelines pipelines_;
  Shadows shadows_;
};

// Which revisions run beside the packs in service.
struct ShadowSources {
  std::filesystem::path config_file;  // that names them, for messages
  std::vector<ShadowConfig> shadows;
};

// NOT_FOUND that lists the packs there are.
absl::Status UnknownPack(const PackSet& packs, std::string_view name);

// The pack of that name: INVALID_ARGUMENT without a name, NOT_FOUND that lists the others.
absl::StatusOr<std::shared_ptr<const rules::CompiledPack>> FindPack(const PackSet& packs, std::string_view name);

// Loads and compiles every pack below `packs_dir`. Returns nullptr and all problems of all packs if there was any; a
// folder without any pack is a problem.
std::shared_ptr<const PackSet> LoadPackSet(const std::filesystem::path& packs_dir, Problems& problems);

// The same of files that were read already; `found` is what went wrong with that.
std::shared_ptr<const PackSet> LoadPackSet(const rules::PackFiles& files, Problems found, Problems& problems);

// Thread-safe.
class PackRegistry {
 public:
  // Told about every reload, from the thread that reloads: the problems (empty: the new packs are in service), and the
  // packs in service.
  using ReloadListener = std::function<void(const Problems& problems, const PackSet& in_service)>;

  // The first load. Returns nullptr and fills `problems` if anything is wrong: a daemon does not start with bad packs.
  // With the packs their shadows are read, and by every reload again.
  static std::unique_ptr<PackRegistry> Open(std::filesystem::path packs_dir, Problems& problems,
                                            ShadowSources shadows = {});
  // A registry over packs made elsewhere (tests). Reload reads `packs_dir`.
  PackRegistry(std::filesystem::path packs_dir, std::shared_ptr<const PackSet> packs, ShadowSources shadows = {});

  // The packs in service: never null. One uncontended lock and a reference count; keep the result for the length of a
  // call.
  std::shared_ptr<const PackSet> Current() const;

  // Reads all packs again and swaps them in. If anything is wrong all old packs stay in service and the problems are
  // returned. One reload at a time; calls of Current never wait for one.
  Problems Reload();

  // Problems of the last reload; empty if it succeeded or there was none.
  Problems LastReloadProblems() const;

  // To be set before threads share the registry.
  void SetReloadListener(ReloadListener listener) { listener_ = std::move(listener); }

  const std::filesystem::path& packs_dir() const { return packs_dir_; }

 private:
  const std::filesystem::path packs_dir_;
  const ShadowSources shadows_;
  ReloadListener listener_;
  // Gets the queries of the packs ready in the background, so that neither the start nor the first review waits for
  // them.
  void CompileQueries(std::shared_ptr<const PackSet> packs);

  std::mutex reload_mutex_;
  std::jthread queries_;
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const PackSet> current_;
  Problems last_problems_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_REGISTRY_PACK_REGISTRY_H_
