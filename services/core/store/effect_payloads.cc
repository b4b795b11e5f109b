#include "services/core/store/effect_payloads.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "services/core/json_document.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

using nlohmann::json;

std::string Text(const json& value, const char* key) {
  const auto it = value.find(key);
  return it != value.end() && it->is_string() ? it->get<std::string>() : std::string();
}

template <typename Labels>
void TakeLabels(const json& value, Labels& out) {
  for (const json& label : value.value("labels", json::array())) {
    if (label.is_string()) out.add_labels(label.get<std::string>());
  }
  out.set_command(Text(value, "command"));
}

// "… template=NAME key=…" in the marker at the end of a comment.
std::string TemplateInMarker(const std::string& body) {
  constexpr std::string_view kTemplate = " template=";
  const size_t begin = body.rfind(kTemplate);
  if (begin == std::string::npos) return {};
  const size_t name = begin + kTemplate.size();
  return body.substr(name, body.find(' ', name) - name);
}

}  // namespace

v1::Action ActionOfOldPayload(std::string_view kind, std::string_view payload) {
  v1::Action action;
  std::string error;
  const std::optional<json> value =
      ParseJsonLimited(payload, {.max_bytes = 4 * 1024 * 1024, .max_depth = 8, .max_values = 10'000}, error);
  if (!value.has_value() || !value->is_object()) return action;
  if (kind == "add_labels") {
    TakeLabels(*value, *action.mutable_add_labels());
  } else if (kind == "remove_labels") {
    TakeLabels(*value, *action.mutable_remove_labels());
  } else if (kind == "post_template") {
    action.mutable_post_template()->set_template_id(Text(*value, "template"));
    action.mutable_post_template()->set_body(Text(*value, "body"));
  } else if (kind == "react") {
    action.mutable_react()->set_comment(Text(*value, "comment"));
    action.mutable_react()->set_content(Text(*value, "content"));
  } else if (kind == "answer_comment") {
    v1::AnswerComment& answer = *action.mutable_answer_comment();
    answer.set_body(Text(*value, "body"));
    answer.set_name(TemplateInMarker(answer.body()));
    // "a-<digest>-<revision>".
    const std::string key = Text(*value, "key");
    int64_t revision = 0;
    if (absl::SimpleAtoi(key.substr(key.rfind('-') + 1), &revision)) answer.set_revision(revision);
  }
  return action;
}

void ConvertEffectPayloads(soci::session& sql) {
  constexpr int kBatch = 200;
  std::vector<std::pair<int64_t, std::string>> batch;
  int64_t after = 0;
  do {
    batch.clear();
    {
      long long id = 0;
      std::string kind;
      soci::blob payload(sql);
      Select query(sql);
      query.Add("select id, kind, payload from effects where id > :after order by id limit :batch");
      query.Bind("after", after).Bind("batch", int64_t{kBatch}).Into(id).Into(kind).Into(payload);
      while (query.Next()) {
        batch.emplace_back(id, ActionOfOldPayload(kind, GetBlob(payload)).SerializeAsString());
      }
    }
    for (const auto& [id, bytes] : batch) {
      const long long row = id;
      soci::blob payload(sql);
      SetBlob(payload, bytes);
      sql << "update effects set payload = :payload where id = :id", soci::use(payload, "payload"),
          soci::use(row, "id");
      after = id;
    }
  } while (batch.size() == size_t{kBatch});
}

}  // namespace yardmaster::store
