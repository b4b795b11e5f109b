// Reads pipeline.json of a pack, or of the nearest that it extends, and compiles it.
#include <functional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "rules/engine/pack/pack_part.h"
#include "rules/engine/pack/pack_reader.h"
#include "rules/engine/pack/schema_validator.h"
#include "rules/engine/pipeline/profile.h"
#include "services/core/absl_view.h"
#include "services/core/address.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

constexpr std::string_view kProfileFile = "/pipeline.json";

class ProfileReader : public PackDocumentReader {
 public:
  ProfileReader(const JsonDocument& document, std::string_view pack, Problems& problems)
      : PackDocumentReader(document, pack, problems), document_(document) {
    profile_.pack = pack;
  }

  PipelineProfile Read() {
    const JsonPlace root{&value(), ""};
    Take(value(), "trusted_authors", profile_.trusted_authors);
    profile_.trigger_wait = std::chrono::minutes(value().value("trigger_minutes", 30));
    Take(value(), "max_retests", profile_.max_retests);
    Take(value(), "no_push_while_running", profile_.no_push_while_running);
    Take(value(), "call", profile_.call);
    Take(value(), "advisory_labels", profile_.advisory);
    Take(value(), "build_inputs", profile_.build_inputs);
    Take(value(), "inert_files", profile_.inert_files);
    With(root, "description_gate", [this](const JsonPlace& at) { ReadDescriptionGate(at); });
    With(root, "build_gate", [this](const JsonPlace& at) { ReadBuildGate(at); });
    With(root, "jenkins", [this](const JsonPlace& at) { ReadJenkins(at); });
    With(root, "checks", [this](const JsonPlace& at) {
      profile_.checks.emplace();
      profile_.checks->required = Patterns(at, "required", {}, /*whole=*/true);
      profile_.checks->ignored = Patterns(at, "ignored", {}, /*whole=*/true);
      Take(*at.value, "required_by_forge", profile_.checks->required_by_forge);
    });
    With(root, "merge_queue", [this](const JsonPlace& at) {
      profile_.merge_queue.emplace();
      Take(*at.value, "of_forge", profile_.merge_queue->of_forge);
      Take(*at.value, "running_labels", profile_.merge_queue->running);
      profile_.merge_queue->started_comments = Patterns(at, "started_comments");
      profile_.merge_queue->failed_comments = Patterns(at, "failed_comments");
    });
    With(root, "log", [this](const JsonPlace& at) { ReadLog(at); });
    ForEach("blockers", [this](const JsonPlace& at) { ReadBlocker(at); });
    ForEach("fixes", [this](const JsonPlace& at) {
      profile_.fixes.push_back({at.value->value("stage", ""), at.value->value("rule", ""), at.value->at("fix")});
    });
    ForEach("cases", [this](const JsonPlace& at) { ReadCase(at); });
    return std::move(profile_);
  }

 private:
  template <typename Work>
  void With(const JsonPlace& object, const char* key, Work work) {
    if (object.value->contains(key)) work(object.At(key));
  }

  // A pattern; what is no pattern, or lacks one of the groups, is a problem.
  Pattern Compile(const JsonPlace& at, const std::set<std::string_view>& groups, bool whole = false) {
    const std::string& text = at.value->get_ref<const std::string&>();
    std::string error;
    Pattern pattern(whole ? absl::StrCat("^(?:", text, ")$") : text, error);
    if (!error.empty()) {
      Add(at.pointer, absl::StrCat("expected an RE2 pattern: ", error));
      return pattern;
    }
    for (const std::string_view group : groups) {
      if (!pattern.HasGroup(group)) Add(at.pointer, absl::StrCat("expected a group (?P<", Abs(group), ">…)"));
    }
    return pattern;
  }
  std::vector<Pattern> Patterns(const JsonPlace& object, const char* key, const std::set<std::string_view>& groups = {},
                                bool whole = false) {
    std::vector<Pattern> out;
    ForEach(object, key, [&](const JsonPlace& at) { out.push_back(Compile(at, groups, whole)); });
    return out;
  }

  void ReadDescriptionGate(const JsonPlace& at) {
    DescriptionGate& gate = profile_.description_gate.emplace();
    gate.trigger = at.value->at("trigger").get<std::string>();
    gate.passed = at.value->at("passed_label").get<std::string>();
    gate.failed = at.value->value("failed_label", "");
    gate.passed_comments = Patterns(at, "passed_comments");
    gate.failed_comments = Patterns(at, "failed_comments");
  }

  void ReadBuildGate(const JsonPlace& at) {
    BuildGate& gate = profile_.build_gate;
    gate.trigger = at.value->value("trigger", "");
    Take(*at.value, "passed_labels", gate.passed);
    Take(*at.value, "failed_labels", gate.failed);
    Take(*at.value, "running_labels", gate.running);
    Take(*at.value, "working_labels", gate.working);
    gate.blocked_comments = Patterns(at, "blocked_comments");
    gate.started_comments = Patterns(at, "started_comments", {"number"});
    ForEach(at, "result_rows", [&](const JsonPlace& one) {
      gate.result_rows.push_back(Compile(one, {"stage"}));
      const Pattern& row = gate.result_rows.back();
      if (!row.HasGroup("result") && !(row.HasGroup("passed") && row.HasGroup("failed"))) {
        Add(one.pointer, "expected a group (?P<result>…), or the groups (?P<passed>…) and (?P<failed>…)");
      }
    });
    gate.partial_comments = Patterns(at, "partial_comments");
    gate.bypass = std::chrono::seconds(at.value->value("bypass_seconds", 0));
  }

  void ReadBlocker(const JsonPlace& at) {
    Blocker blocker;
    blocker.why = at.value->at("why").get<std::string>();
    With(at, "label", [&](const JsonPlace& place) { blocker.label = place.value->get<std::string>(); });
    With(at, "label_pattern", [&](const JsonPlace& place) {
      blocker.sign = Blocker::Sign::kPattern;
      blocker.pattern = Compile(place, {}, /*whole=*/true);
    });
    With(at, "missing_label", [&](const JsonPlace& place) {
      blocker.sign = Blocker::Sign::kMissing;
      blocker.label = place.value->get<std::string>();
    });
    profile_.blockers.push_back(std::move(blocker));
  }

  void ReadJenkins(const JsonPlace& at) {
    JenkinsProfile& jenkins = profile_.jenkins.emplace();
    jenkins.url = std::string(absl::StripSuffix(at.value->at("url").get_ref<const std::string&>(), "/"));
    const std::optional<Url> url = ParseUrl(jenkins.url);
    if (!url.has_value() || (url->scheme != "https" && url->scheme != "http")) {
      Add(at.pointer + "/url",
          "expected an address with its scheme and without user, query and fragment, like https://build.example.org");
    } else if (url->scheme == "http" && !IsLoopbackHost(url->host)) {
      Add(at.pointer + "/url", "expected https: what comes by plain http may be anybody's");
    }
    jenkins.jobs = at.value->at("jobs").get<std::map<std::string, std::string>>();
    jenkins.builds = at.value->value("builds", jenkins.builds);
    With(at, "pull_request", [&](const JsonPlace& place) { jenkins.pull_request = Compile(place, {"number"}); });
  }

  void ReadLog(const JsonPlace& at) {
    LogRules& log = profile_.log;
    log.strip = Patterns(at, "strip");
    log.stages = Patterns(at, "stages", {"stage"});
    log.places = Patterns(at, "places", {"file", "line"});
    log.markers = Patterns(at, "markers");
    std::set<std::string> ids;
    ForEach(at, "failures", [&](const JsonPlace& one) {
      log.failures.push_back({one.value->at("id"), one.value->value("stage", ""), one.value->value("rule", ""),
                              Compile(one.At("pattern"), {}), one.value->value("placed", false)});
      if (!ids.insert(log.failures.back().id).second) {
        Add(one.pointer + "/id", absl::StrCat(Quoted(log.failures.back().id), " is there already"));
      }
    });
    ForEach(at, "infrastructure", [&](const JsonPlace& one) {
      log.infrastructure.push_back({one.value->at("id"), one.value->at("why"), Compile(one.At("pattern"), {})});
    });
  }

  void ReadCase(const JsonPlace& at) {
    PipelineCase one;
    one.id = at.value->at("id").get<std::string>();
    one.signals = at.value->at("signals");
    one.expected = at.value->at("expected");
    one.file = document_.file();
    one.line = At(at.pointer).line;
    const std::string& now = at.value->at("now").get_ref<const std::string&>();
    if (const auto time = ParsePipelineTime(now); time.has_value()) {
      one.now = *time;
    } else {
      Add(at.pointer + "/now", absl::StrCat("expected a time like 2025-01-31T12:00:00Z, got ", Quoted(now)));
    }
    std::string error;
    if (!ReadPipelineSignals(one.signals, error).has_value()) Add(at.pointer + "/signals", error);
    profile_.cases.push_back(std::move(one));
  }

  const JsonDocument& document_;
  PipelineProfile profile_;
};

}  // namespace

std::string PackWithPipeline(const PackFiles& files, std::string_view pack) {
  for (const std::string& name : PackChain(files, pack)) {
    if (files.contains(absl::StrCat(name, Abs(kProfileFile)))) return name;
  }
  return {};
}

std::shared_ptr<const PipelineProfile> LoadPipeline(const PackFiles& files, std::string_view pack, Problems& problems) {
  const std::string owner = PackWithPipeline(files, pack);
  if (owner.empty()) return nullptr;
  const auto file = files.find(absl::StrCat(owner, Abs(kProfileFile)));
  const size_t before = problems.size();
  const auto document = JsonDocument::Parse(Readable(file->first, 200), file->second, PackFileLimits(), problems);
  if (!document || !SchemaValidator::Get().Validate("pipeline", *document, problems)) return nullptr;
  auto profile = std::make_shared<PipelineProfile>(ProfileReader(*document, owner, problems).Read());
  if (problems.size() != before) return nullptr;
  return profile;
}

}  // namespace yardmaster::rules
