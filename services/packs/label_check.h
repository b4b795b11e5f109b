// Compares the labels of a pack with those of a repository.
#ifndef YARDMASTER_SERVICES_PACKS_LABEL_CHECK_H_
#define YARDMASTER_SERVICES_PACKS_LABEL_CHECK_H_

#include "rules/engine/pack/pack_model.h"
#include "services/intake/label_source.h"
#include "yardmaster/v1/rules.pb.h"

namespace yardmaster {

// Fills in the number of labels and the findings.
void CheckLabels(const rules::PackModel& pack, const RepositoryLabels& repository, v1::LabelCheck& check);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_LABEL_CHECK_H_
