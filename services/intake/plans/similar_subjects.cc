#include "services/intake/plans/similar_subjects.h"

#include <vector>

#include "absl/status/statusor.h"

namespace yardmaster {
namespace {

constexpr int64_t kShown = 3;

}  // namespace

v1::SimilarSubject ToProto(const store::SimilarSubject& similar) {
  v1::SimilarSubject out;
  *out.mutable_subject() = similar.subject;
  out.set_title(similar.title);
  out.set_state(similar.state);
  out.set_score(similar.score);
  return out;
}

void AddSimilarSubjects(store::Subjects& subjects, const v1::IssueSnapshot& snapshot, v1::Plan& plan) {
  store::SimilarQuery query;
  query.title = snapshot.title();
  query.body = snapshot.body();
  query.forge = snapshot.subject().forge();
  query.repository = snapshot.subject().repository();
  query.except = snapshot.subject();
  query.limit = kShown;
  const absl::StatusOr<std::vector<store::SimilarSubject>> similar = subjects.Similar(query);
  if (!similar.ok()) return;
  for (const store::SimilarSubject& one : *similar) *plan.mutable_explanation()->add_similar() = ToProto(one);
}

}  // namespace yardmaster
