#include "rules/engine/pipeline/signals.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// Numbers of builds and pull requests, and durations in milliseconds: 31 years.
constexpr uint64_t kMaxNumber = 1'000'000'000'000;
// What is outside of these years is no time of a gate, and could not be reckoned with.
constexpr int64_t kFirstSecond = 0;
constexpr int64_t kLastSecond = 4'102'444'800;  // 2100-01-01

// Takes members out of objects; the first that is wrong is the error.
class SignalReader {
 public:
  explicit SignalReader(std::string& error) : error_(error) {}

  bool ok() const { return error_.empty(); }
  void Fail(std::string_view where, std::string_view expected) {
    if (ok()) error_ = absl::StrCat(Abs(where), ": expected ", Abs(expected));
  }

  std::string Text(const json& object, const char* key) {
    const auto it = object.find(key);
    if (it == object.end() || it->is_null()) return {};
    if (it->is_string()) return it->get<std::string>();
    Fail(key, "a text");
    return {};
  }
  int64_t Number(const json& object, const char* key) {
    const auto it = object.find(key);
    if (it == object.end() || it->is_null()) return 0;
    if (it->is_number_unsigned() && it->get<uint64_t>() <= kMaxNumber) return it->get<int64_t>();
    Fail(key, "a whole number");
    return 0;
  }
  bool Flag(const json& object, const char* key) {
    const auto it = object.find(key);
    if (it == object.end() || it->is_null()) return false;
    if (it->is_boolean()) return it->get<bool>();
    Fail(key, "true or false");
    return false;
  }
  std::optional<PipelineTime> Time(const json& object, const char* key) {
    const std::string text = Text(object, key);
    if (text.empty()) return std::nullopt;
    const std::optional<PipelineTime> time = ParsePipelineTime(text);
    if (!time.has_value()) Fail(key, absl::StrCat("a time like 2025-01-31T12:00:00Z, got ", Quoted(text)));
    return time;
  }
  // Calls `read` with each element of the list, if there is one. False: there is none.
  template <typename Read>
  bool Each(const json& object, const char* key, Read read) {
    const auto it = object.find(key);
    if (it == object.end() || it->is_null()) return false;
    if (!it->is_array()) {
      Fail(key, "a list");
      return false;
    }
    for (const json& one : *it) read(one);
    return true;
  }
  // The same for objects.
  template <typename Read>
  bool EachObject(const json& object, const char* key, Read read) {
    return Each(object, key, [&](const json& one) {
      if (one.is_object()) {
        read(one);
      } else {
        Fail(key, "a list of objects");
      }
    });
  }

 private:
  std::string& error_;
};

// A label is a text, or an object with a name or a title, and when it was put on.
void ReadLabel(SignalReader& reader, const json& label, PipelineSignals& out) {
  if (label.is_string()) {
    out.labels.push_back(label.get<std::string>());
    return;
  }
  if (!label.is_object()) return reader.Fail("labels", "a list of texts or of objects with a name");
  std::string name = reader.Text(label, "name");
  if (name.empty()) name = reader.Text(label, "title");
  if (name.empty()) return reader.Fail("labels", "a name or a title for each");
  if (const auto at = reader.Time(label, "at"); at.has_value()) out.label_events.push_back({name, true, *at});
  out.labels.push_back(std::move(name));
}

// A text, or its lines; nullopt: there is none.
std::optional<std::string> ReadLines(SignalReader& reader, const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_array()) {
    std::string text = reader.Text(object, key);
    return text.empty() ? std::nullopt : std::optional(std::move(text));
  }
  std::string text;
  for (const json& line : *it) {
    if (!line.is_string()) {
      reader.Fail(key, "lines");
      return std::nullopt;
    }
    text += line.get_ref<const std::string&>();
    text += '\n';
  }
  return text;
}

PipelineBuild ReadBuild(SignalReader& reader, const json& value) {
  PipelineBuild build;
  build.number = reader.Number(value, "number");
  build.result = reader.Text(value, "result");
  build.building = reader.Flag(value, "building");
  build.description = reader.Text(value, "description");
  build.url = reader.Text(value, "url");
  build.started = reader.Time(value, "started");
  build.duration = std::chrono::milliseconds(reader.Number(value, "duration_ms"));
  build.console = ReadLines(reader, value, "console");
  return build;
}

PipelineCheck ReadCheck(SignalReader& reader, const json& value) {
  PipelineCheck check;
  check.name = reader.Text(value, "name");
  check.url = reader.Text(value, "url");
  reader.Each(value, "failed", [&](const json& one) {
    if (!one.is_string()) return reader.Fail("failed", "texts");
    check.failed.push_back(one.get<std::string>());
  });
  const std::string state = reader.Text(value, "state");
  if (state == "passed") {
    check.state = PipelineCheck::State::kPassed;
  } else if (state == "failed") {
    check.state = PipelineCheck::State::kFailed;
  } else if (state == "cancelled") {
    check.state = PipelineCheck::State::kCancelled;
  } else if (state == "held") {
    check.state = PipelineCheck::State::kHeld;
  } else if (state != "running") {
    reader.Fail("state", "\"running\", \"passed\", \"failed\", \"cancelled\" or \"held\"");
  }
  return check;
}

}  // namespace

std::optional<PipelineTime> ParsePipelineTime(std::string_view text) {
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, Abs(text), &time, nullptr)) return std::nullopt;
  if (const int64_t second = absl::ToUnixSeconds(time); second < kFirstSecond || second >= kLastSecond) {
    return std::nullopt;
  }
  return absl::ToChronoTime(time);
}

std::string PipelineTimeText(PipelineTime time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

std::optional<PipelineSignals> ReadPipelineSignals(const json& value, std::string& error) {
  error.clear();
  SignalReader reader(error);
  if (!value.is_object()) {
    reader.Fail("signals", "an object");
    return std::nullopt;
  }
  PipelineSignals out;
  if (const auto pull = value.find("pr"); pull == value.end() || !pull->is_object()) {
    reader.Fail("pr", "an object");
  } else {
    out.owner = reader.Text(*pull, "owner");
    out.repo = reader.Text(*pull, "repo");
    out.number = reader.Number(*pull, "number");
    out.url = reader.Text(*pull, "url");
    out.author = reader.Text(*pull, "author");
    const std::string state = reader.Text(*pull, "state");
    out.closed = state == "closed" || state == "merged";
    out.head = reader.Text(*pull, "head");
    out.head_at = reader.Time(*pull, "head_at");
  }
  reader.Each(value, "labels", [&](const json& label) { ReadLabel(reader, label, out); });
  reader.EachObject(value, "label_events", [&](const json& event) {
    const std::optional<PipelineTime> at = reader.Time(event, "at");
    if (!at.has_value()) return reader.Fail("label_events", "a time for each");
    out.label_events.push_back({reader.Text(event, "label"), reader.Text(event, "action") != "removed", *at});
  });
  reader.EachObject(value, "comments", [&](const json& comment) {
    out.comments.push_back({reader.Text(comment, "author"), reader.Text(comment, "body"), reader.Time(comment, "at")});
  });
  std::vector<PipelineBuild> builds;
  if (reader.EachObject(value, "builds", [&](const json& one) { builds.push_back(ReadBuild(reader, one)); })) {
    out.builds = std::move(builds);
  }
  std::vector<PipelineCheck> checks;
  if (reader.EachObject(value, "checks", [&](const json& one) { checks.push_back(ReadCheck(reader, one)); })) {
    out.checks = std::move(checks);
  }
  reader.EachObject(value, "consoles", [&](const json& one) {
    if (std::optional<std::string> log = ReadLines(reader, one, "console")) {
      out.consoles[reader.Number(one, "number")] = *std::move(log);
    }
  });
  reader.Each(value, "required_checks", [&](const json& one) {
    if (!one.is_string()) return reader.Fail("required_checks", "texts");
    out.required_checks.push_back(one.get<std::string>());
  });
  reader.EachObject(value, "queue_events", [&](const json& event) {
    const std::optional<PipelineTime> at = reader.Time(event, "at");
    if (!at.has_value()) return reader.Fail("queue_events", "a time for each");
    out.queue_events.push_back({reader.Text(event, "action") != "removed", *at});
  });
  std::vector<std::string> files;
  if (reader.Each(value, "files", [&](const json& one) {
        if (one.is_string()) return files.push_back(one.get<std::string>());
        std::string path = one.is_object() ? reader.Text(one, "path") : std::string();
        if (path.empty()) return reader.Fail("files", "texts, or objects with a path");
        if (std::optional<std::string> patch = ReadLines(reader, one, "patch")) out.patches[path] = *std::move(patch);
        files.push_back(std::move(path));
      })) {
    out.files = std::move(files);
  }
  if (const auto reach = value.find("reach"); reach != value.end() && reach->is_object()) {
    for (const auto& [test, reached] : reach->items()) {
      std::vector<std::string>& paths = out.reach[test];
      reader.Each(*reach, test.c_str(), [&](const json& one) {
        if (!one.is_string()) return reader.Fail("reach", "texts");
        paths.push_back(one.get<std::string>());
      });
    }
  }
  if (const auto baseline = value.find("baseline"); baseline != value.end() && baseline->is_object()) {
    for (const auto& [test, passed] : baseline->items()) {
      if (passed.is_boolean()) {
        out.baseline[test] = passed.get<bool>();
      } else {
        reader.Fail("baseline", "true or false for each test");
      }
    }
  }
  if (!reader.ok()) return std::nullopt;
  return out;
}

}  // namespace yardmaster::rules
