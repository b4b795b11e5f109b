// What people made of labels after a decision: the evidence by which two revisions of a pack are judged.
#ifndef YARDMASTER_SERVICES_PACKS_PEOPLE_LABELS_H_
#define YARDMASTER_SERVICES_PACKS_PEOPLE_LABELS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "services/core/store/store.h"
#include "yardmaster/v1/shadow.pb.h"

namespace yardmaster {

// Reads each subject once. Not thread-safe.
class PeopleLabels {
 public:
  // `store` outlives this object.
  explicit PeopleLabels(store::Store& store) : store_(store) {}

  // False: a person took the label off, or off again. True: a person put it on since the run. nullopt: neither, or it
  // can't be known any more.
  std::optional<bool> Wanted(const v1::ShadowRun& run, const std::string& label);

 private:
  struct Known {
    std::vector<std::string> now;      // on the subject, as last seen
    std::vector<std::string> ours;     // of these, those that our decisions put there
    std::vector<std::string> removed;  // taken off by people
  };
  const Known& KnownOf(const v1::Subject& subject);

  store::Store& store_;
  std::map<std::string, Known> known_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_PEOPLE_LABELS_H_
