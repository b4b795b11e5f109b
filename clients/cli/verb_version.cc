#include <nlohmann/json.hpp>
#include <string>

#include "clients/cli/verbs.h"
#include "services/core/version.h"

namespace yardmaster::cli {

void AddVersionVerb(Verb& yard) {
  yard.Add("version", "Print the version", {"yard version", "yard version --json"}).Runs([](Session& session) {
    if (session.options.json) {
      session.output.Json({{"name", "yard"}, {"version", std::string(kVersion)}});
    } else {
      session.output.out() << "yard " << kVersion << '\n';
    }
    return ExitCode::kDone;
  });
}

}  // namespace yardmaster::cli
