#include "services/packs/shadow_report.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/core/repository_name.h"

namespace yardmaster {
namespace {

using Difference = v1::ShadowDifference;

std::string RepositoryOf(const v1::Subject& subject) { return QualifiedName(subject.forge(), subject.repository()); }

bool IsFinding(int kind) { return kind == Difference::KIND_FINDING; }
bool IsLabel(int kind) { return kind == Difference::KIND_LABEL || kind == Difference::KIND_APPLIED; }

uint32_t Differences(const v1::ShadowTally& tally) { return tally.added() + tally.removed(); }

}  // namespace

void ShadowReport::AddTo(Tally& tally, const v1::ShadowDifference& difference, const v1::ShadowExample& example) const {
  v1::ShadowTally& counts = tally.counts;
  if (difference.in_shadow()) {
    counts.set_added(counts.added() + 1);
  } else {
    counts.set_removed(counts.removed() + 1);
  }
  if (example.verdict() == v1::SHADOW_VERDICT_SHADOW) counts.set_shadow_right(counts.shadow_right() + 1);
  if (example.verdict() == v1::SHADOW_VERDICT_BASE) counts.set_base_right(counts.base_right() + 1);
  std::vector<v1::ShadowExample>& examples =
      example.verdict() == v1::SHADOW_VERDICT_UNSPECIFIED ? tally.others : tally.judged;
  if (examples.size() < examples_) examples.push_back(example);
}

void ShadowReport::AddDifference(const v1::ShadowRun& run, const v1::ShadowDifference& difference, Group& group) const {
  v1::ShadowExample example;
  *example.mutable_subject() = run.subject();
  example.set_in_shadow(difference.in_shadow());
  example.set_why(difference.why());
  example.set_path(difference.path());
  example.set_line(difference.line());
  if (IsLabel(difference.kind()) && truth_ != nullptr) {
    const std::optional<bool> wanted = truth_(run, difference.name());
    if (wanted.has_value()) {
      example.set_verdict(*wanted == difference.in_shadow() ? v1::SHADOW_VERDICT_SHADOW : v1::SHADOW_VERDICT_BASE);
    }
  }
  if (!IsFinding(difference.kind())) {
    AddTo(group.labels[{difference.kind(), difference.name()}], difference, example);
  }
  // Rules behind a label are told apart from rules of findings.
  const int kind = IsFinding(difference.kind()) ? Difference::KIND_FINDING : Difference::KIND_LABEL;
  for (const std::string& rule : difference.rules()) AddTo(group.rules[{kind, rule}], difference, example);
}

void ShadowReport::Add(const v1::ShadowRun& run) {
  const std::string repository = RepositoryOf(run.subject());
  const auto [entry, is_new] = groups_.try_emplace({absl::AsciiStrToLower(repository), run.pack()});
  Group& group = entry->second;
  v1::ShadowSummary& summary = group.summary;
  if (is_new) {
    summary.set_repository(repository);
    summary.set_pack(run.pack());
    summary.set_base_revision(run.base_revision());
    summary.set_shadow_revision(run.shadow_revision());
    *summary.mutable_last_at() = run.created_at();
  }
  if (summary.base_revision() != run.base_revision() || summary.shadow_revision() != run.shadow_revision()) return;
  if (!group.subjects.insert({run.planner(), run.subject().kind(), run.subject().number()}).second) return;
  *summary.mutable_first_at() = run.created_at();

  const bool review = run.planner() == "review";
  const bool changed = !run.differences().empty();
  if (review) {
    summary.set_reviews(summary.reviews() + 1);
    if (changed) summary.set_reviews_changed(summary.reviews_changed() + 1);
  } else {
    summary.set_decisions(summary.decisions() + 1);
    if (changed) summary.set_decisions_changed(summary.decisions_changed() + 1);
  }
  if (!run.error().empty()) {
    if (summary.failed() == 0) summary.set_failure(run.error());
    summary.set_failed(summary.failed() + 1);
  }
  if (!run.unfinished().empty()) summary.set_unfinished(summary.unfinished() + 1);
  group.unfinished.insert(run.unfinished().begin(), run.unfinished().end());
  for (const std::string& name : run.base()) ++group.given[name].first;
  for (const std::string& name : run.shadow()) ++group.given[name].second;
  for (const v1::ShadowDifference& difference : run.differences()) AddDifference(run, difference, group);
}

void ShadowReport::Write(v1::ShadowReportResponse& out) const {
  for (const auto& entry : groups_) {
    const Group& group = entry.second;
    v1::ShadowSummary& summary = *out.add_summaries();
    summary = group.summary;
    summary.mutable_unfinished_rules()->Assign(group.unfinished.begin(), group.unfinished.end());
    const auto write = [&](const std::map<TallyKey, Tally>& tallies,
                           google::protobuf::RepeatedPtrField<v1::ShadowTally>& rows, bool rules) {
      for (const auto& [name, tally] : tallies) {
        v1::ShadowTally& row = *rows.Add();
        row = tally.counts;
        row.set_kind(static_cast<Difference::Kind>(name.first));
        row.set_name(name.second);
        // How often a rule behind labels matched is not kept.
        const auto given = group.given.find(name.second);
        if (given != group.given.end() && (!rules || IsFinding(name.first))) {
          row.set_base(given->second.first);
          row.set_shadow(given->second.second);
        }
        for (const std::vector<v1::ShadowExample>* examples : {&tally.judged, &tally.others}) {
          for (const v1::ShadowExample& example : *examples) {
            if (static_cast<size_t>(row.examples_size()) < examples_) *row.add_examples() = example;
          }
        }
      }
      std::stable_sort(rows.begin(), rows.end(), [](const v1::ShadowTally& a, const v1::ShadowTally& b) {
        return Differences(a) > Differences(b);
      });
    };
    write(group.labels, *summary.mutable_labels(), false);
    write(group.rules, *summary.mutable_rules(), true);
  }
}

}  // namespace yardmaster
