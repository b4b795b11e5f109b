#include "rules/engine/pack/pack_loader.h"

#include <map>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/pack/pack_merge.h"
#include "rules/engine/pack/pack_part.h"
#include "services/core/hex.h"
#include "services/core/json_document.h"
#include "services/core/readable.h"
#include "services/core/sha256.h"

namespace yardmaster::rules {
namespace {

// "a → b → c"
std::string Path(const std::vector<std::string>& chain, std::string_view next) {
  std::string out;
  for (const std::string& name : chain) out += name + " → ";
  return out + Readable(next);
}

// SHA-256 over the names, sizes and bytes of all files that decide: 16 hex characters of it.
class Revision {
 public:
  void AddPack(const PackFiles& files, std::string_view name) {
    ForEachPackFile(files, name, [&](const std::string& path, const std::string& bytes) {
      const std::string_view inner = std::string_view(path).substr(name.size() + 1);
      if (inner.starts_with("cases/") || inner == "README.md") return;
      pieces_.Add(path + '\0' + std::to_string(bytes.size()) + '\0');
      pieces_.Add(bytes);
    });
  }

  std::string Hex() { return yardmaster::Hex(pieces_.Digest()).substr(0, 16); }

 private:
  Sha256Pieces pieces_;
};

// What can be said about the parent that `part` names; empty if it can be read.
std::string ParentProblem(const PackFiles& files, const PackPart& part, const std::vector<std::string>& chain) {
  const std::string& parent = part.extends;
  if (absl::c_linear_search(chain, parent)) {
    return "expected a pack that does not build on this one, got a circle: " + Path(chain, parent);
  }
  if (chain.size() >= kMaxExtendsDepth) {
    return "expected at most " + std::to_string(kMaxExtendsDepth) +
           " packs that extend one another: " + Path(chain, parent);
  }
  if (files.find(parent + "/pack.json") != files.end()) return {};
  const std::vector<std::string> names = PackNames(files);
  return "expected the name of another pack, got " + Quoted(parent) + ", which is not there" +
         DidYouMean(parent, {names.begin(), names.end()});
}

}  // namespace

std::vector<std::string> PackNames(const PackFiles& files) {
  constexpr std::string_view kMainFile = "/pack.json";
  std::vector<std::string> names;
  for (const auto& [path, bytes] : files) {
    if (!path.ends_with(kMainFile) || path.find('/') != path.size() - kMainFile.size()) continue;
    names.push_back(path.substr(0, path.size() - kMainFile.size()));
  }
  absl::c_sort(names);
  return names;
}

void LocateProblems(const PackFiles& files, Problems& problems) {
  std::map<std::string, std::optional<JsonDocument>> documents;
  for (Problem& problem : problems) {
    const auto file = files.find(problem.file);
    if (problem.column > 0 || problem.pointer.empty() || file == files.end()) continue;
    const auto [it, inserted] = documents.try_emplace(problem.file);
    Problems unreadable;  // told before
    if (inserted) it->second = JsonDocument::Parse(problem.file, file->second, JsonLimits(), unreadable);
    if (!it->second) continue;
    const JsonPosition position = it->second->PositionOf(problem.pointer);
    problem.line = position.line;
    problem.column = position.column;
  }
}

std::vector<std::string> PackChain(const PackFiles& files, std::string_view name) {
  std::vector<std::string> chain = {std::string(name)};
  while (chain.size() <= kMaxExtendsDepth) {
    const auto file = files.find(chain.back() + "/pack.json");
    if (file == files.end()) break;
    std::string error;
    const auto pack = ParseJsonLimited(file->second, JsonLimits(), error);
    if (!pack || !pack->is_object()) break;
    const auto parent = pack->find("extends");
    if (parent == pack->end() || !parent->is_string()) break;
    const std::string& next = parent->get_ref<const std::string&>();
    if (absl::c_linear_search(chain, next)) break;
    chain.push_back(next);
  }
  return chain;
}

// A pack by itself, and what is wrong in its files.
struct PackLoader::ReadPart {
  PackPart part;
  Problems problems;
};

std::shared_ptr<const PackLoader::ReadPart> PackLoader::Read(const std::string& name) {
  return parts_.Get(name, [&] {
    auto read = std::make_shared<ReadPart>();
    read->part = ReadPackPart(files_, name, read->problems);
    return std::shared_ptr<const ReadPart>(std::move(read));
  });
}

std::optional<PackModel> PackLoader::Load(std::string_view name, Problems& problems) {
  const size_t before = problems.size();
  if (files_.find(std::string(name) + "/pack.json") == files_.end()) {
    problems.push_back({Readable(name) + "/pack.json", "", 0, 0, "missing file; every pack has one"});
    return std::nullopt;
  }

  // The pack first, then what it extends.
  std::vector<PackPart> parts;
  std::vector<std::string> chain;
  Revision revision;
  for (std::string next(name); !next.empty();) {
    const std::shared_ptr<const ReadPart> read = Read(next);
    problems.insert(problems.end(), read->problems.begin(), read->problems.end());
    parts.push_back(read->part);
    revision.AddPack(files_, next);
    chain.push_back(next);
    const PackPart& part = parts.back();
    if (part.extends.empty()) break;
    if (std::string problem = ParentProblem(files_, part, chain); !problem.empty()) {
      problems.push_back(ProblemAt(part.extends_origin, std::move(problem)));
      break;
    }
    next = part.extends;
  }
  if (problems.size() == before) {
    absl::c_reverse(parts);
    PackModel pack = MergeParts(std::move(parts), problems);
    pack.revision = revision.Hex();
    if (problems.size() == before) return pack;
  }
  LocateProblems(files_, problems);
  return std::nullopt;
}

std::optional<PackModel> LoadPack(const PackFiles& files, std::string_view name, Problems& problems) {
  return PackLoader(files).Load(name, problems);
}

}  // namespace yardmaster::rules
