// Pull requests of MemoryForge (memory_forge.h) that are opened and described, and a git server in memory: refs that
// move only from where they are expected.
#ifndef YARDMASTER_TESTS_SUPPORT_MEMORY_PULLS_H_
#define YARDMASTER_TESTS_SUPPORT_MEMORY_PULLS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/forge/forge_pulls.h"
#include "clients/git/git_push.h"
#include "tests/support/memory_reviews.h"

namespace yardmaster::testing {

class MemoryPulls : public MemoryReviews, public ForgePulls {
 public:
  // --- The test's side ---

  std::map<std::pair<std::string, int64_t>, ForgePull> pulls;
  // How often CreatePull and EditPull did something.
  int opened_pulls = 0;
  int edited_pulls = 0;

  // --- ForgePulls ---

  absl::StatusOr<ForgePull> CreatePull(const ForgeCall&, std::string_view repository,
                                       const ForgeNewPull& pull) override {
    const auto made = std::make_shared<ForgePull>();
    const auto effect = [this, made, pull, key = std::string(repository)] {
      int64_t number = 1;
      while (pulls.contains({key, number})) ++number;
      made->number = number;
      made->title = pull.title;
      made->body = pull.body;
      made->head_repository = pull.head.repository;
      made->head_ref = pull.head.branch;
      made->base_ref = pull.base;
      pulls[{key, number}] = *made;
      ++opened_pulls;
    };
    bool visible = true;
    if (absl::Status status = Write(effect, visible); !status.ok()) return status;
    return *made;
  }
  absl::StatusOr<std::vector<ForgePull>> FindPulls(const ForgeCall& call, std::string_view repository,
                                                   const ForgePullHead& head) override {
    absl::StatusOr<std::vector<ForgePull>> found = ListOpenPulls(call, repository);
    if (!found.ok()) return found;
    std::erase_if(*found, [&head](const ForgePull& pull) {
      return pull.head_repository != head.repository || pull.head_ref != head.branch;
    });
    return found;
  }
  absl::StatusOr<std::vector<ForgePull>> ListOpenPulls(const ForgeCall&, std::string_view repository) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    std::vector<ForgePull> open;
    for (const auto& [key, pull] : pulls) {
      if (key.first == repository && pull.state == ForgeState::kOpen) open.push_back(pull);
    }
    return open;
  }
  absl::StatusOr<ForgePull> EditPull(const ForgeCall&, const ForgeSubject& subject, std::string_view title,
                                     std::string_view body) override {
    const std::pair<std::string, int64_t> key{subject.repository, subject.number};
    if (!pulls.contains(key)) return NotFound("no such pull request");
    ForgePull before = pulls[key];
    const auto effect = [this, key, new_title = std::string(title), new_body = std::string(body)] {
      pulls[key].title = new_title;
      pulls[key].body = new_body;
      ++edited_pulls;
    };
    bool visible = true;
    if (absl::Status status = Write(effect, visible); !status.ok()) return status;
    return visible ? pulls[key] : before;
  }
  absl::Status AskForReview(const ForgeCall&, const ForgeSubject&, const std::vector<std::string>&) override {
    return absl::OkStatus();
  }
};

class MemoryGit final : public GitPusher {
 public:
  // What may go wrong with one call, in percent.
  struct Faults {
    int unreachable = 0;  // nothing was done, and that is known
    int lost_before = 0;  // nothing was done, and nobody knows
    int lost_after = 0;   // it was done, and nobody knows
  };

  // --- The test's side ---

  // Repository → ref → commit.
  std::map<std::string, std::map<std::string, std::string>> refs;
  int moves = 0;   // that were made
  int pushes = 0;  // that were asked for
  // Why pushes are refused; empty: they are not.
  std::string refuses;
  // Called right before a push compares.
  std::function<void()> before_push;
  // Called before and after each call does its work; a test may throw there.
  std::function<void()> point;

  void Seed(uint64_t seed, Faults faults) {
    random_.seed(seed);
    faults_ = faults;
  }

  // --- GitPusher ---

  absl::StatusOr<std::vector<GitRef>> Refs(const std::string& repository) override {
    Point();
    if (Happens(faults_.unreachable)) return absl::UnavailableError("no connection");
    std::vector<GitRef> out;
    for (const auto& [name, object] : refs[repository]) out.push_back({name, object});
    Point();
    return out;
  }
  absl::StatusOr<PushOutcome> Push(const std::string& repository, const RefMove& move, std::string_view,
                                   bool& maybe_done) override {
    Point();
    ++pushes;
    if (before_push != nullptr) before_push();
    if (Happens(faults_.unreachable)) return absl::UnavailableError("no connection");
    if (Happens(faults_.lost_before)) return Lost(maybe_done);
    if (!refuses.empty()) return PushOutcome{PushOutcome::State::kRefused, refuses};
    std::map<std::string, std::string>& there = refs[repository];
    const auto place = there.find(move.ref);
    const std::string now = place == there.end() ? std::string() : place->second;
    if (now != move.old_id) return PushOutcome{PushOutcome::State::kMoved, now};
    if (move.new_id.empty()) {
      there.erase(move.ref);
    } else {
      there[move.ref] = move.new_id;
    }
    ++moves;
    Point();
    if (Happens(faults_.lost_after)) return Lost(maybe_done);
    return PushOutcome{};
  }

 private:
  static absl::Status Lost(bool& maybe_done) {
    maybe_done = true;
    return absl::UnavailableError("reset");
  }
  bool Happens(int percent) { return percent > 0 && static_cast<int>(random_() % 100) < percent; }
  void Point() const {
    if (point != nullptr) point();
  }

  std::mt19937_64 random_;
  Faults faults_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_MEMORY_PULLS_H_
