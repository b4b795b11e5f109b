// The files of one folder of a pack as pieces by kind and name: those that a pack writes are put in the place of those
// that it inherits.
#ifndef YARDMASTER_RULES_ENGINE_PACK_PACK_PIECES_H_
#define YARDMASTER_RULES_ENGINE_PACK_PACK_PIECES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pack/pack_loader.h"
#include "services/core/json_document.h"
#include "services/core/json_reader.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

struct PackPiece {
  const nlohmann::json& value() const { return *place.value; }
  // A problem at a pointer inside the piece: "" is the piece itself.
  Problem ProblemAt(const std::string& inner, std::string message) const {
    return document->ProblemAt(place.pointer + inner, std::move(message));
  }

  std::string name;  // empty: it has none
  std::string pack;  // that wrote it
  JsonPlace place;
  const JsonDocument* document = nullptr;
};

struct PackPieces {
  // What the documents hold under one of their keys ("roles", "checks", …), in order.
  const std::vector<PackPiece>& Of(std::string_view key) const;

  std::map<std::string, std::vector<PackPiece>, std::less<>> by_key;
  std::vector<std::unique_ptr<JsonDocument>> documents;  // that the pieces are of
};

struct PieceFiles {
  std::string_view folder;  // of the pack, and name of the schema
  // Keys whose pieces are added to those of the same name.
  std::set<std::string_view> added_keys{};
  // What is parsed instead of a file's text.
  std::function<std::string(std::string_view text)> prepare{};
  size_t threads = 1;  // that read at once
};

// Reads folder/*.json of the pack and of what it extends. Adds all problems.
PackPieces ReadPackPieces(const PackFiles& files, std::string_view pack, const PieceFiles& wanted, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_PACK_PIECES_H_
