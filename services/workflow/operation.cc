#include "services/workflow/operation.h"

#include <array>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster::workflow {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 4> kStateNames = {"begun", "done", "undoing", "undone"};

// False if a member is absent or no text.
bool TakeText(const json& object, const char* key, std::string& out) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_string()) return false;
  out = found->get<std::string>();
  return true;
}

}  // namespace

std::string OperationText(const Operation& operation) {
  json refs = json::array();
  for (const GitRefChange& change : operation.refs) {
    refs.push_back({{"ref", change.ref}, {"old", change.old_id}, {"new", change.new_id}});
  }
  json files = json::array();
  for (const FileChange& change : operation.files) {
    files.push_back({{"path", change.path}, {"old", change.old_id}, {"new", change.new_id}});
  }
  // Names of files need not be UTF-8: those that are not do not get here.
  return json({{"id", operation.id},
               {"command", operation.command},
               {"branch", operation.branch},
               {"state", kStateNames[static_cast<size_t>(operation.state)]},
               {"part_of", operation.part_of},
               {"refs", std::move(refs)},
               {"index", operation.index},
               {"files", std::move(files)},
               {"work_tree", operation.work_tree},
               {"push_to", operation.push_to},
               {"source", operation.source},
               {"target", operation.target},
               {"checkout", {{"from", operation.checkout_from}, {"to", operation.checkout_to}}}})
      .dump();
}

std::optional<Operation> ParseOperation(std::string_view text) {
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  Operation operation;
  std::string state;
  bool good = TakeText(document, "id", operation.id) && TakeText(document, "command", operation.command) &&
              TakeText(document, "branch", operation.branch) && TakeText(document, "state", state) &&
              document.contains("refs") && document["refs"].is_array();
  // The first ones had refs alone.
  if (good && document.contains("index")) {
    good = document["index"].is_boolean();
    operation.index = good && document["index"].get<bool>();
  }
  for (const auto& [key, text_of] :
       std::initializer_list<std::pair<const char*, std::string*>>{{"part_of", &operation.part_of},
                                                                   {"work_tree", &operation.work_tree},
                                                                   {"push_to", &operation.push_to},
                                                                   {"source", &operation.source},
                                                                   {"target", &operation.target}}) {
    if (good && document.contains(key)) good = TakeText(document, key, *text_of);
  }
  if (good && document.contains("checkout")) {
    good = TakeText(document["checkout"], "from", operation.checkout_from) &&
           TakeText(document["checkout"], "to", operation.checkout_to);
  }
  if (good && document.contains("files")) {
    good = document["files"].is_array();
    for (const json& one : good ? document["files"] : json::array()) {
      FileChange& change = operation.files.emplace_back();
      good = good && TakeText(one, "path", change.path) && TakeText(one, "old", change.old_id) &&
             TakeText(one, "new", change.new_id);
    }
  }
  const auto* const name = absl::c_find(kStateNames, state);
  if (!good || name == kStateNames.end()) return std::nullopt;
  operation.state = static_cast<Operation::State>(std::distance(kStateNames.begin(), name));
  for (const json& one : document["refs"]) {
    GitRefChange& change = operation.refs.emplace_back();
    good = good && TakeText(one, "ref", change.ref) && TakeText(one, "old", change.old_id) &&
           TakeText(one, "new", change.new_id);
  }
  if (!good) return std::nullopt;
  return operation;
}

}  // namespace yardmaster::workflow
