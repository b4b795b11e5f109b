// report.html: the page of this folder with the result in it.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_replace.h"
#include "services/core/utf8.h"
#include "services/worker/results/report_page.h"
#include "services/worker/results/result_files.h"

namespace yardmaster::worker {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlaceOfData = "@DATA@";
// Limits of what is embedded, so that the page has less than 8 MB. It says how much is left out.
constexpr size_t kMaxStepsBytes = 2'500'000;
constexpr size_t kMaxTestsBytes = 3'000'000;
constexpr size_t kMaxTensorsBytes = 1'500'000;
constexpr size_t kMaxTextBytes = 4'000;

// As it may stand in a script of the page: neither "</script" nor "<!--" can come of it.
std::string Embedded(const Json& value) {
  return absl::StrReplaceAll(value.dump(-1, ' ', false, Json::error_handler_t::replace), {{"<", "\\u003c"}});
}

void CutTexts(Json& value) {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (text.size() > kMaxTextBytes) text = std::string(CutUtf8(text, kMaxTextBytes)) + "…";
  } else if (value.is_structured()) {
    for (Json& member : value) CutTexts(member);
  }
}

double BadnessOfVerdict(const Json& entry) {
  constexpr std::array<std::string_view, 7> kBestFirst = {"passed", "not_run",   "flaky", "cancelled",
                                                          "error",  "timed_out", "failed"};
  const auto& word = entry.at("verdict").get_ref<const std::string&>();
  return static_cast<double>(absl::c_find(kBestFirst, word) - kBestFirst.begin());
}

double BadnessOfTensor(const Json& tensor) {
  return tensor.at("off").get<double>() / std::max(1.0, tensor.at("elements").get<double>());
}

// Drops what does not fit into `max_bytes`. Entries with the same values of `key` stay together, and of these the worst
// are kept. Returns how many were dropped.
size_t KeepWorst(Json& entries, std::initializer_list<const char*> key, double (*badness)(const Json&),
                 size_t max_bytes) {
  // How bad the worst entry of a group is, the other way round for sorting, and where the group begins.
  std::map<std::string, std::pair<double, size_t>> groups;
  std::vector<std::pair<double, size_t>*> group_of;
  for (const Json& entry : entries) {
    std::string id;
    for (const char* name : key) id += entry.at(name).dump() + "\n";
    auto& group = groups.try_emplace(std::move(id), 0, group_of.size()).first->second;
    group.first = std::min(group.first, -badness(entry));
    group_of.push_back(&group);
  }
  std::vector<size_t> order(entries.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  absl::c_stable_sort(order, [&](size_t a, size_t b) { return *group_of[a] < *group_of[b]; });
  size_t kept = 0;
  for (size_t bytes = 0; kept < order.size() && bytes < max_bytes; ++kept)
    bytes += Embedded(entries[order[kept]]).size();
  const size_t dropped = order.size() - kept;
  if (dropped == 0) return 0;
  order.resize(kept);
  absl::c_sort(order);
  Json left = Json::array();
  for (const size_t i : order) left.push_back(std::move(entries[i]));
  entries = std::move(left);
  return dropped;
}

}  // namespace

std::string ResultHtml(const RunResult& run) {
  Json result = ResultJson(run);
  Json tensors = TensorsJson(run).at("tensors");
  for (Json& test : result["tests"]) {
    if (test["verdict"] == VerdictName(Verdict::kPassed)) test["message"] = "";
  }
  CutTexts(result);
  CutTexts(tensors);
  const Json left_out = {{"steps", KeepWorst(result["steps"], {"name"}, BadnessOfVerdict, kMaxStepsBytes)},
                         {"tests", KeepWorst(result["tests"], {"step", "id"}, BadnessOfVerdict, kMaxTestsBytes)},
                         {"tensors", KeepWorst(tensors, {"step", "name"}, BadnessOfTensor, kMaxTensorsBytes)}};
  const Json data = {{"result", std::move(result)}, {"tensors", std::move(tensors)}, {"left_out", left_out}};
  std::string page(ReportPage());
  return page.replace(page.find(kPlaceOfData), kPlaceOfData.size(), Embedded(data));
}

}  // namespace yardmaster::worker
