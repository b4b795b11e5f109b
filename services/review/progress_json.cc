#include "services/review/progress_json.h"

#include <nlohmann/json.hpp>

namespace yardmaster {

nlohmann::ordered_json ProgressJson(const SubjectProgress& subject) {
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  for (const StageProgress& stage : subject.stages) {
    nlohmann::ordered_json& one = stages.emplace_back();
    one = {{"id", stage.id}, {"title", stage.title}, {"state", StageStateName(stage.state)}};
    if (!stage.text.empty()) one["text"] = stage.text;
    if (!stage.next.empty()) one["next"] = stage.next;
  }
  nlohmann::ordered_json json = {
      {"name", subject.name}, {"path", subject.path}, {"line", subject.line}, {"stages", std::move(stages)}};
  if (const StageProgress* const next = subject.Next()) json["next"] = next->id;
  return json;
}

}  // namespace yardmaster
