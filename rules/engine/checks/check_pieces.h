// The files of checks as they are written: pieces by kind and name, those of a pack in the place of those that it
// inherits.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_CHECK_PIECES_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_CHECK_PIECES_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "services/core/json_document.h"
#include "services/core/json_reader.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

struct CheckPiece {
  // A problem at a place inside the piece: "" is the piece itself.
  Problem ProblemAt(const std::string& inner, std::string message) const {
    return document->ProblemAt(place.pointer + inner, std::move(message));
  }

  std::string name;
  std::string pack;  // that wrote it
  JsonPlace place;
  const JsonDocument* document = nullptr;
};

struct CheckPieces {
  // What the documents hold under one of their keys ("roles", "checks", …), in order.
  const std::vector<CheckPiece>& Of(std::string_view key) const;

  std::map<std::string, std::vector<CheckPiece>, std::less<>> by_key;
  std::vector<std::unique_ptr<JsonDocument>> documents;  // that the pieces are of
};

// Reads checks/*.json of the pack and of what it extends. Adds all problems.
CheckPieces ReadCheckPieces(const PackFiles& files, std::string_view pack, ChecksFor purpose, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_CHECK_PIECES_H_
