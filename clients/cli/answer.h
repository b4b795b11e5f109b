// Prints answers: as JSON with --json, else as text.
#ifndef YARDMASTER_CLIENTS_CLI_ANSWER_H_
#define YARDMASTER_CLIENTS_CLI_ANSWER_H_

#include <nlohmann/json.hpp>

#include "clients/cli/session.h"

namespace yardmaster::cli {

// json(row) of each row.
template <typename Rows, typename RowJson>
nlohmann::ordered_json JsonList(const Rows& rows, RowJson json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& row : rows) list.push_back(json(row));
  return list;
}

// Prints json(value), or text(value, output).
template <typename Value, typename ValueJson, typename ValueText>
void PrintAnswer(const Value& value, ValueJson json, ValueText text, Session& session) {
  if (session.options.json) {
    session.output.Json(json(value));
  } else {
    session.output.out() << text(value, session.output);
  }
}

// Prints {"NAME": [json(row), …]}, or table(rows, output); if there are none, a table says `none`.
template <typename Rows, typename RowJson, typename RowsTable>
void PrintRows(const char* name, const Rows& rows, RowJson json, RowsTable table, Session& session,
               const char* none = "none") {
  if (session.options.json) {
    session.output.Json({{name, JsonList(rows, json)}});
  } else if (rows.empty()) {
    session.output.Note(none);
  } else {
    session.output.out() << table(rows, session.output);
  }
}

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_ANSWER_H_
