// Which suites a request about the tests of a pull request means, and with which devices. Pure.
#ifndef YARDMASTER_SERVICES_DISPATCH_PULLS_SUITE_CHOICE_H_
#define YARDMASTER_SERVICES_DISPATCH_PULLS_SUITE_CHOICE_H_

#include <string>
#include <vector>

#include "services/dispatch/pulls/refusal.h"
#include "services/dispatch/suite_catalog.h"
#include "yardmaster/v1/dispatch.pb.h"
#include "yardmaster/v1/test_request.pb.h"

namespace yardmaster::dispatch {

// A suite, and what of it as the request says: layers, selection, variables, devices and labels are set in `part`.
struct ChosenSuite {
  ShelvedSuite suite;
  v1::JobSpec part;
};

// What of `all`, the suites of a pack, the request means: by id, by a name of a suite, by kind ("ut", "st", "smoke",
// "compile"), or the usual ones: of these, `pack`'s own where it has any. Never empty without a refusal. A device that
// is named for several is for those that need one; a level is for those that have it.
struct SuiteChoice {
  std::vector<ChosenSuite> suites;
  std::optional<Refusal> refusal;
};
SuiteChoice ChooseSuites(const std::vector<ShelvedSuite>& all, const std::string& pack, const v1::TestRequest& request);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PULLS_SUITE_CHOICE_H_
