#include "rules/engine/checks/check_pieces.h"

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/case_text.h"
#include "rules/engine/pack/pack_part.h"
#include "rules/engine/pack/schema_validator.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// Threads that read the files of a pack.
constexpr size_t kReaders = 4;

// One file on its way to a document.
struct CheckFile {
  const std::string* path;
  const std::string* bytes;
  std::unique_ptr<JsonDocument> document;
  Problems problems;
};

void ReadFile(ChecksFor purpose, CheckFile& file) {
  JsonLimits limits;
  limits.max_bytes = kMaxPackFileBytes;
  limits.max_values = kMaxPackFileValues;
  const bool without_cases = purpose == ChecksFor::kReviews && file.bytes->size() <= limits.max_bytes;
  auto document = JsonDocument::Parse(Readable(*file.path, 200),
                                      without_cases ? WithoutCases(*file.bytes) : *file.bytes, limits, file.problems);
  if (document && SchemaValidator::Get().Validate("checks", *document, file.problems)) {
    file.document = std::make_unique<JsonDocument>(*std::move(document));
  }
}

// Parsing and validating is most of the work, and each file is on its own: done by a few threads at once. What a review
// reads is too little to be worth waiting for another thread.
void ReadAll(ChecksFor purpose, std::vector<CheckFile>& files) {
  std::atomic<size_t> next = 0;
  const auto read = [&] {
    for (size_t i = next++; i < files.size(); i = next++) ReadFile(purpose, files[i]);
  };
  const size_t readers = purpose == ChecksFor::kReviews ? 1 : kReaders;
  const size_t threads = std::min<size_t>({readers, std::thread::hardware_concurrency(), files.size()});
  std::vector<std::jthread> helpers;
  try {
    while (helpers.size() + 1 < threads) helpers.emplace_back(read);
  } catch (const std::system_error&) {
    // No more threads to be had: this one reads the rest.
  }
  read();
}

std::vector<CheckFile> CheckFilesOf(const PackFiles& files, const std::string& pack) {
  std::vector<CheckFile> found;
  ForEachPackFile(files, pack, [&](const std::string& path, const std::string& bytes) {
    constexpr std::string_view kFolder = "checks/";
    const std::string_view inner = std::string_view(path).substr(pack.size() + 1);
    if (!inner.starts_with(kFolder) || !inner.ends_with(".json")) return;
    if (inner.find('/', kFolder.size()) != std::string_view::npos) return;  // told by LoadPack
    found.push_back({&path, &bytes, nullptr, {}});
  });
  return found;
}

// Puts a piece to those that are there; the same name replaces.
void Put(CheckPiece piece, std::vector<CheckPiece>& to, Problems& problems) {
  const auto same = absl::c_find_if(to, [&](const CheckPiece& one) { return one.name == piece.name; });
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

void TakePieces(const std::string& pack, const JsonDocument& document, CheckPieces& pieces, Problems& problems) {
  const JsonPlace root = {&document.value(), ""};
  for (const auto& [key, part] : document.value().items()) {
    if (key == "$schema") continue;
    std::vector<CheckPiece>& to = pieces.by_key[key];
    const JsonPlace list = root.At(key);
    for (size_t i = 0; part.is_array() && i < part.size(); ++i) {
      // Roles have patterns of their own: the same role may come with several.
      std::string name = key == "roles"
                             ? part[i].at("role").get<std::string>() + " " + part[i].at("path").get<std::string>()
                             : part[i].at("id").get<std::string>();
      Put({std::move(name), pack, list.At(i), &document}, to, problems);
    }
    if (!part.is_object()) continue;
    for (const auto& [name, value] : part.items()) Put({name, pack, list.At(name), &document}, to, problems);
  }
}

}  // namespace

const std::vector<CheckPiece>& CheckPieces::Of(std::string_view key) const {
  static const std::vector<CheckPiece> kNone;
  const auto it = by_key.find(key);
  return it == by_key.end() ? kNone : it->second;
}

CheckPieces ReadCheckPieces(const PackFiles& files, std::string_view pack, ChecksFor purpose, Problems& problems) {
  CheckPieces pieces;
  std::vector<std::string> chain = PackChain(files, pack);
  absl::c_reverse(chain);
  for (const std::string& name : chain) {
    std::vector<CheckFile> read = CheckFilesOf(files, name);
    ReadAll(purpose, read);
    for (CheckFile& file : read) {
      problems.insert(problems.end(), file.problems.begin(), file.problems.end());
      if (file.document == nullptr) continue;
      pieces.documents.push_back(std::move(file.document));
      TakePieces(name, *pieces.documents.back(), pieces, problems);
    }
  }
  return pieces;
}

}  // namespace yardmaster::rules
