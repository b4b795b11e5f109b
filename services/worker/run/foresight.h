// What the steps of a suite would stumble over, found before anything is built: modules that their commands can't do
// without and that the manifest does not ask for. What it does ask for is looked after elsewhere (requirements.h).
#ifndef YARDMASTER_SERVICES_WORKER_RUN_FORESIGHT_H_
#define YARDMASTER_SERVICES_WORKER_RUN_FORESIGHT_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "rules/suites/suite_model.h"
#include "services/worker/run/implied_modules.h"
#include "services/worker/run/requirements.h"

namespace yardmaster::worker {

struct ForeseenLack {
  std::string step;
  std::string module;
  std::string because;    // "pytest is called with --timeout"
  std::string why;        // "Python has no module pytest_timeout"
  std::string signature;  // by which the log would show it
};

class Foresight {
 public:
  // Makes `requirements` expect what may be asked; before anything is asked of them.
  Foresight(const rules::SuiteModel& suite, Requirements& requirements);

  // The first step of the layers that can't go well. `build_may_bring`: whether a module may come by the build. Options
  // that the project in `source` brings itself ask for no plugin; where that is empty, none is known.
  std::optional<ForeseenLack> MissingForTests(const std::filesystem::path& source,
                                              const std::function<bool(const std::string&)>& build_may_bring) const;
  // The first step of the build that can't go well on this source.
  std::optional<ForeseenLack> MissingForBuild(const std::filesystem::path& source) const;

 private:
  std::optional<ForeseenLack> WhyNot(const rules::SuiteStep& step, const ImpliedModule& implied) const;
  bool WheelIsNeeded() const;

  const rules::SuiteModel& suite_;
  Requirements& requirements_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_FORESIGHT_H_
