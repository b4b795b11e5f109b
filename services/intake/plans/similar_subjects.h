// Subjects whose texts are alike, for explanations.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_SIMILAR_SUBJECTS_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_SIMILAR_SUBJECTS_H_

#include "services/core/store/subjects.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

v1::SimilarSubject ToProto(const store::SimilarSubject& similar);

// The three that are most alike go into the explanation. Optional: nothing depends on it.
void AddSimilarSubjects(store::Subjects& subjects, const v1::IssueSnapshot& snapshot, v1::Plan& plan);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_SIMILAR_SUBJECTS_H_
