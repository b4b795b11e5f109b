// A subject as planners see it, put together by a test.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKE_SUBJECT_VIEW_H_
#define YARDMASTER_TESTS_SUPPORT_FAKE_SUBJECT_VIEW_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/intake/subject_view.h"

namespace yardmaster::testing {

class FakeSubjectView : public SubjectView {
 public:
  std::string_view forge() const override { return "github"; }
  absl::StatusOr<ForgeAccess> Access(std::string_view) override { return ForgeAccess{}; }
  absl::StatusOr<bool> IsTeamMember(std::string_view, std::string_view, std::string_view) override { return false; }
  absl::StatusOr<std::optional<std::string>> File(std::string_view repository, std::string_view path,
                                                  std::string_view ref) override {
    read.push_back(std::string(repository) + ":" + std::string(path) + "@" + std::string(ref));
    return Find(repository, path, ref);
  }
  absl::StatusOr<std::optional<std::string>> RecentFile(std::string_view repository, std::string_view path,
                                                        std::string_view ref) override {
    return Find(repository, path, ref);
  }
  absl::StatusOr<ForgeRepository> Repository(const std::string& repository) override {
    const auto found = repositories.find(repository);
    if (found == repositories.end()) return absl::NotFoundError(repository);
    return found->second;
  }
  absl::StatusOr<ForgePull> PullOf(int64_t number) override {
    if (number != pull.number) return absl::NotFoundError("no such pull request");
    return pull;
  }
  absl::StatusOr<const ForgePull*> Pull() override { return &pull; }
  absl::StatusOr<const ForgePullFileList*> PullFiles() override { return &changed; }
  std::shared_ptr<const std::vector<std::string>> RepositoryLabels(const std::vector<std::string>&) override {
    return labels;
  }
  absl::StatusOr<std::optional<v1::Plan>> LatestDecision() override { return std::optional<v1::Plan>(); }
  absl::StatusOr<RequestedPlan> Ask(std::string_view, const AskOptions&) override { return RequestedPlan(); }
  absl::StatusOr<std::vector<v1::Action>> Written(std::string_view) override { return written; }
  absl::StatusOr<LongResultPtr> Await(const LongWork& work) override {
    if (still_working) return StillWorking();
    if (const absl::Status status = work.read(); !status.ok()) return status;
    absl::StatusOr<LongResultPtr> result = work.compute();
    if (result.ok()) afterwards = work.afterwards;
    return result;
  }
  std::string Digest() const override { return {}; }

  // "repository:path@ref" → text; the repository is empty for the subject's.
  std::map<std::string, std::string> files;
  std::map<std::string, ForgeRepository> repositories;
  ForgePull pull;
  ForgePullFileList changed;
  std::shared_ptr<const std::vector<std::string>> labels;
  std::vector<v1::Action> written;  // of whatever kind
  bool still_working = false;
  std::function<void()> afterwards;  // of the last work that was done: the test calls it
  std::vector<std::string> read;     // what File was asked for, written like the keys of `files`

 private:
  absl::StatusOr<std::optional<std::string>> Find(std::string_view repository, std::string_view path,
                                                  std::string_view ref) const {
    const auto it = files.find(std::string(repository) + ":" + std::string(path) + "@" + std::string(ref));
    if (it == files.end()) return std::optional<std::string>();
    return std::optional<std::string>(it->second);
  }
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_FAKE_SUBJECT_VIEW_H_
