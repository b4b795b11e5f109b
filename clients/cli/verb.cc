#include "clients/cli/verb.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster::cli {

Verb& Verb::Add(std::string_view name, std::string_view summary, std::initializer_list<std::string_view> examples,
                std::string_view note) {
  auto added = std::make_unique<Verb>(name, summary);
  Verb& verb = *added;
  verb.footer = "Examples:\n";
  for (const std::string_view example : examples) absl::StrAppend(&verb.footer, "  ", Abs(example), "\n");
  absl::StrAppend(&verb.footer, Abs(note), note.empty() ? "" : "\n", "Options of every verb: see 'yard --help'.");
  AddVerb(std::move(added));
  return verb;
}

}  // namespace yardmaster::cli
