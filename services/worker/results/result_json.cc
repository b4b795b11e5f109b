// A result as JSON: the shape that scripts rely on comes first, what people may want to know besides comes after it.
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/suite_names.h"
#include "services/worker/results/result_files.h"
#include "services/worker/results/text.h"

namespace yardmaster::worker {
namespace {

using Json = nlohmann::ordered_json;

Json Rank(int rank) { return rank == kNoRank ? Json(nullptr) : Json(rank); }

// JSON has neither NaN nor infinity, and null would not say which.
Json Number(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

Json Texts(const std::vector<std::string>& texts) {
  Json out = Json::array();
  for (const std::string& text : texts) out.push_back(ValidUtf8(text));
  return out;
}

// Milliseconds are enough for everything that is started as a process.
double Rounded(double seconds) { return std::isfinite(seconds) ? std::round(seconds * 1e6) / 1e6 : 0; }
double Seconds(int64_t micros) { return static_cast<double>(micros) / 1e6; }

std::string_view HealthWord(DeviceHealth health) {
  // As they are declared.
  constexpr std::string_view kWords[] = {"ok", "warning", "unknown", "bad"};
  return kWords[static_cast<size_t>(health)];
}

Json LayerJson(const LayerResult& layer) {
  return {{"id", ValidUtf8(layer.id)},
          {"verdict", VerdictName(layer.verdict)},
          {"tests", layer.tests},
          {"failed", layer.failed},
          {"skipped", layer.skipped},
          {"seconds", Rounded(layer.seconds)},
          {"title", ValidUtf8(layer.title)},
          {"reason", ValidUtf8(layer.reason)}};
}

Json TestJson(const TestResult& test) {
  return {{"id", ValidUtf8(test.id)},
          {"rank", Rank(test.rank)},
          {"verdict", VerdictName(test.verdict)},
          {"seconds", Rounded(test.seconds)},
          {"message", ValidUtf8(test.message)},
          {"skipped", test.skipped},
          {"layer", ValidUtf8(test.layer)},
          {"step", ValidUtf8(test.step)}};
}

Json DeviceJson(const Device& device) {
  Json out = {{"kind", rules::DeviceKindKey(device.kind)},
              {"name", ValidUtf8(device.name)},
              {"id", ValidUtf8(device.id)},
              {"index", device.index},
              {"model", ValidUtf8(device.model)},
              {"health", HealthWord(device.health)}};
  if (!device.health_reason.empty()) out["health_reason"] = ValidUtf8(device.health_reason);
  if (!device.pci_address.empty()) out["pci_address"] = ValidUtf8(device.pci_address);
  if (!device.driver.empty()) out["driver"] = ValidUtf8(device.driver);
  if (!device.runtime.empty()) out["runtime"] = ValidUtf8(device.runtime);
  if (!device.capability.empty()) out["capability"] = ValidUtf8(device.capability);
  if (device.memory_mb.has_value()) out["memory_mb"] = *device.memory_mb;
  return out;
}

Json CauseJson(const Cause& cause) {
  Json excerpt = Json::array();
  for (const LogLine& line : cause.excerpt) {
    excerpt.push_back({{"line", line.number},
                       {"seconds", Seconds(line.micros)},
                       {"rank", Rank(line.rank)},
                       {"stream", line.stream == Stream::kStderr ? "stderr" : "stdout"},
                       {"text", ValidUtf8(line.text)}});
  }
  return {{"class", rules::FailureClassKey(cause.cls)},
          {"signature", ValidUtf8(cause.signature)},
          {"message", ValidUtf8(cause.message)},
          {"advice", ValidUtf8(cause.advice)},
          {"step", ValidUtf8(cause.step)},
          {"rank", Rank(cause.rank)},
          {"test", ValidUtf8(cause.test)},
          {"log", ValidUtf8(cause.log)},
          {"line", cause.line},
          {"victims", cause.victims},
          {"excerpt", excerpt}};
}

Json StandJson(const RankStand& stood) {
  return {{"text", ValidUtf8(stood.text)},
          {"doing", ValidUtf8(stood.doing)},
          {"operation", ValidUtf8(stood.operation)},
          {"place", ValidUtf8(stood.place)},
          {"state", ValidUtf8(stood.state)},
          {"waits_in", ValidUtf8(stood.waits_in)},
          {"cpu", stood.cpu.has_value() ? Json(std::round(*stood.cpu * 100) / 100) : Json(nullptr)},
          {"processes", stood.processes}};
}

Json RankJson(const RankResult& rank) {
  return {{"rank", Rank(rank.rank)},
          {"verdict", VerdictName(rank.verdict)},
          {"exit_code", rank.exit_code.has_value() ? Json(*rank.exit_code) : Json(nullptr)},
          {"signal", rank.signal},
          {"begin", Seconds(rank.begin_micros)},
          {"end", Seconds(rank.end_micros)},
          {"first_error", rank.first_error_micros < 0 ? Json(nullptr) : Json(Seconds(rank.first_error_micros))},
          {"last_output", rank.last_output_micros < 0 ? Json(nullptr) : Json(Seconds(rank.last_output_micros))},
          {"victim", rank.victim},
          {"stood", rank.stood.has_value() ? StandJson(*rank.stood) : Json(nullptr)}};
}

Json StepJson(const StepResult& step) {
  Json ranks = Json::array();
  for (const RankResult& rank : step.ranks) ranks.push_back(RankJson(rank));
  return {{"name", ValidUtf8(step.name)},
          {"id", ValidUtf8(step.id)},
          {"cell", ValidUtf8(step.cell)},
          {"layer", ValidUtf8(step.layer)},
          {"verdict", VerdictName(step.verdict)},
          {"reason", ValidUtf8(step.reason)},
          {"begin", Seconds(step.begin_micros)},
          {"end", Seconds(step.end_micros)},
          {"ranks", ranks},
          {"log", ValidUtf8(step.log)},
          {"artifacts", Texts(step.artifacts)},
          {"attempts", step.attempts},
          {"recipe", ValidUtf8(step.recipe)},
          {"cause", step.cause.has_value() ? CauseJson(*step.cause) : Json(nullptr)}};
}

Json HostJson(const HostInfo& host) {
  return {{"name", ValidUtf8(host.name)},
          {"system", ValidUtf8(host.system)},
          {"processors", host.processors},
          {"memory_mb", host.memory_mb}};
}

}  // namespace

nlohmann::ordered_json ResultJson(const RunResult& run) {
  Json layers = Json::array();
  for (const LayerResult& layer : run.layers) layers.push_back(LayerJson(layer));
  Json tests = Json::array();
  for (const TestResult& test : run.tests) tests.push_back(TestJson(test));
  Json devices = Json::array();
  for (const Device& device : run.devices) devices.push_back(DeviceJson(device));
  Json steps = Json::array();
  for (const StepResult& step : run.steps) steps.push_back(StepJson(step));
  Json versions = Json::object();
  for (const auto& [name, version] : run.versions) versions[ValidUtf8(name)] = ValidUtf8(version);
  Json numbers = Json::array();
  for (const NumberResult& number : run.numbers) {
    numbers.push_back({{"step", ValidUtf8(number.step)},
                       {"rank", Rank(number.rank)},
                       {"name", ValidUtf8(number.name)},
                       {"value", Number(number.value)},
                       {"unit", ValidUtf8(number.unit)}});
  }
  uint64_t tensors_off = 0;
  for (const TensorResult& tensor : run.tensors) tensors_off += tensor.ok() ? 0 : 1;
  return {{"job", ValidUtf8(run.job)},
          {"suite", ValidUtf8(run.suite)},
          {"commit", ValidUtf8(run.commit)},
          {"suite_digest", ValidUtf8(run.suite_digest)},
          {"verdict", VerdictName(run.verdict)},
          {"layers", layers},
          {"tests", tests},
          {"devices", devices},
          {"seconds", Rounded(run.seconds)},
          {"reason", ValidUtf8(run.reason)},
          {"cause", run.cause.has_value() ? CauseJson(*run.cause) : Json(nullptr)},
          {"steps", steps},
          {"tensors", {{"compared", run.tensors.size()}, {"off", tensors_off}}},
          {"notes", Texts(run.notes)},
          {"versions", versions},
          {"host", HostJson(run.host)},
          {"numbers", numbers},
          {"started_at", ValidUtf8(run.started_at)},
          {"rerun_of", run.rerun_of.empty() ? Json(nullptr) : Json(ValidUtf8(run.rerun_of))}};
}

nlohmann::ordered_json TensorsJson(const RunResult& run) {
  Json tensors = Json::array();
  for (const TensorResult& tensor : run.tensors) {
    tensors.push_back({{"name", ValidUtf8(tensor.name)},
                       {"step", ValidUtf8(tensor.step)},
                       {"rank", Rank(tensor.rank)},
                       {"ok", tensor.ok()},
                       {"dtype", ValidUtf8(tensor.dtype)},
                       {"shape", tensor.shape},
                       {"rtol", Number(tensor.tolerance.rtol)},
                       {"atol", Number(tensor.tolerance.atol)},
                       {"elements", tensor.elements},
                       {"off", tensor.off},
                       {"not_a_number", tensor.not_a_number},
                       {"max_abs", Number(tensor.max_abs)},
                       {"mean_abs", Number(tensor.mean_abs)},
                       {"max_rel", Number(tensor.max_rel)},
                       {"rms", Number(tensor.rms)},
                       {"worst",
                        {{"index", tensor.worst},
                         {"actual", Number(tensor.worst_actual)},
                         {"expected", Number(tensor.worst_expected)}}},
                       {"first_off", tensor.off == 0 ? Json(nullptr) : Json(tensor.first_off)},
                       {"histogram", tensor.histogram}});
  }
  return {{"job", ValidUtf8(run.job)}, {"tensors", tensors}};
}

}  // namespace yardmaster::worker
