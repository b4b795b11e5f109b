// A rule for people: what it says in words before how it is written.
#ifndef YARDMASTER_SERVICES_PACKS_RULE_VIEW_H_
#define YARDMASTER_SERVICES_PACKS_RULE_VIEW_H_

#include <string>
#include <utility>
#include <vector>

#include "yardmaster/v1/rules.pb.h"

namespace yardmaster {

struct RuleView {
  // Name and text of each key that is prose ("title", "message", …), in the order in which one reads them.
  std::vector<std::pair<std::string, std::string>> prose;
  std::string written;  // the other keys, as JSON indented by two; empty if there are none
  std::string cases;    // the cases of a check, likewise
};

RuleView ViewOf(const v1::RuleInfo& rule);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_RULE_VIEW_H_
