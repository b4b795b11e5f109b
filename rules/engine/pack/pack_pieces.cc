#include "rules/engine/pack/pack_pieces.h"

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/pack/pack_part.h"
#include "rules/engine/pack/schema_validator.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// One file on its way to a document.
struct PieceFile {
  const std::string* path;
  const std::string* bytes;
  std::unique_ptr<JsonDocument> document;
  Problems problems;
};

void ReadFile(const PieceFiles& wanted, PieceFile& file) {
  const JsonLimits limits = PackFileLimits();
  const bool prepared = wanted.prepare && file.bytes->size() <= limits.max_bytes;
  auto document = JsonDocument::Parse(Readable(*file.path, 200), prepared ? wanted.prepare(*file.bytes) : *file.bytes,
                                      limits, file.problems);
  if (document && SchemaValidator::Get().Validate(wanted.folder, *document, file.problems)) {
    file.document = std::make_unique<JsonDocument>(*std::move(document));
  }
}

// Parsing and validating is most of the work, and each file is on its own: done by several threads at once.
void ReadAll(const PieceFiles& wanted, std::vector<PieceFile>& files) {
  std::atomic<size_t> next = 0;
  const auto read = [&] {
    for (size_t i = next++; i < files.size(); i = next++) ReadFile(wanted, files[i]);
  };
  const size_t threads = std::min<size_t>({wanted.threads, std::thread::hardware_concurrency(), files.size()});
  std::vector<std::jthread> helpers;
  try {
    while (helpers.size() + 1 < threads) helpers.emplace_back(read);
  } catch (const std::system_error&) {
    // No more threads to be had: this one reads the rest.
  }
  read();
}

std::vector<PieceFile> FilesOf(const PackFiles& files, const std::string& pack, const PieceFiles& wanted) {
  std::vector<PieceFile> found;
  const std::string folder = std::string(wanted.folder) + "/";
  ForEachPackFile(files, pack, [&](const std::string& path, const std::string& bytes) {
    const std::string_view inner = std::string_view(path).substr(pack.size() + 1);
    if (!inner.starts_with(folder) || !inner.ends_with(".json")) return;
    if (inner.find('/', folder.size()) != std::string_view::npos) return;  // told by LoadPack
    found.push_back({&path, &bytes, nullptr, {}});
  });
  return found;
}

// Puts a piece to those that are there; the same name replaces.
void Put(PackPiece piece, bool add, std::vector<PackPiece>& to, Problems& problems) {
  const auto same = add || piece.name.empty()
                        ? to.end()
                        : absl::c_find_if(to, [&](const PackPiece& one) { return one.name == piece.name; });
  if (same == to.end()) {
    to.push_back(std::move(piece));
  } else if (same->pack == piece.pack) {
    const JsonDocument& document = *same->document;
    problems.push_back(piece.ProblemAt("", Quoted(piece.name) + " is there already: " + document.file() + ", line " +
                                               std::to_string(document.PositionOf(same->place.pointer).line)));
  } else {
    *same = std::move(piece);
  }
}

// Roles of files have patterns of their own: the same role may come with several.
std::string NameOf(const json& value) {
  if (!value.is_object()) return "";
  if (value.contains("role")) return value.value("role", "") + " " + value.value("path", "");
  return value.value("id", "");
}

void TakePieces(const std::string& pack, const JsonDocument& document, const PieceFiles& wanted, PackPieces& pieces,
                Problems& problems) {
  const JsonPlace root = {&document.value(), ""};
  for (const auto& [key, part] : document.value().items()) {
    if (!part.is_structured()) continue;  // "$schema", "description"
    std::vector<PackPiece>& to = pieces.by_key[key];
    const bool add = wanted.added_keys.contains(key);
    const JsonPlace list = root.At(key);
    if (part.is_array()) {
      for (size_t i = 0; i < part.size(); ++i) Put({NameOf(part[i]), pack, list.At(i), &document}, add, to, problems);
    } else {
      for (const auto& [name, value] : part.items()) Put({name, pack, list.At(name), &document}, add, to, problems);
    }
  }
}

}  // namespace

const std::vector<PackPiece>& PackPieces::Of(std::string_view key) const {
  static const std::vector<PackPiece> kNone;
  const auto it = by_key.find(key);
  return it == by_key.end() ? kNone : it->second;
}

PackPieces ReadPackPieces(const PackFiles& files, std::string_view pack, const PieceFiles& wanted, Problems& problems) {
  PackPieces pieces;
  std::vector<std::string> chain = PackChain(files, pack);
  absl::c_reverse(chain);
  for (const std::string& name : chain) {
    std::vector<PieceFile> read = FilesOf(files, name, wanted);
    ReadAll(wanted, read);
    for (PieceFile& file : read) {
      problems.insert(problems.end(), file.problems.begin(), file.problems.end());
      if (file.document == nullptr) continue;
      pieces.documents.push_back(std::move(file.document));
      TakePieces(name, *pieces.documents.back(), wanted, pieces, problems);
    }
  }
  return pieces;
}

}  // namespace yardmaster::rules
