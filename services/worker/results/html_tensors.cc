// Errors of tensors as pictures: how many elements are off by how much, in units of what is tolerated, one strip a
// rank; and mean, root mean square and maximum of the absolute error on a scale of decades.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "services/worker/results/html_parts.h"
#include "services/worker/results/text.h"

namespace yardmaster::worker::html {
namespace {

constexpr size_t kBuckets = 7;
// Buckets from here on are beyond the tolerance.
constexpr size_t kFirstOff = 4;
constexpr std::array<std::string_view, kBuckets> kBucketText = {
    "below 1/1000 of the tolerance",      "1/1000 to 1/100 of the tolerance", "1/100 to 1/10 of the tolerance",
    "1/10 of the tolerance to all of it", "1 to 10 times the tolerance",      "10 to 100 times the tolerance",
    "100 times the tolerance and more"};

// Pictures have the width 300.
constexpr double kWidth = 300;
constexpr double kBucketWidth = kWidth / kBuckets;
constexpr double kBarsHeight = 54;

struct Group {
  std::vector<const TensorResult*> ranks;  // as they came
  const TensorResult* worst = nullptr;
};

double OffShare(const TensorResult& tensor) {
  return tensor.elements == 0 ? 0 : static_cast<double>(tensor.off) / static_cast<double>(tensor.elements);
}

// True if `a` is worse: more elements off, then the larger error. Ranks are never averaged.
bool IsWorse(const TensorResult& a, const TensorResult& b) {
  const double off_a = OffShare(a);
  const double off_b = OffShare(b);
  if (off_a != off_b) return off_a > off_b;
  return a.max_abs > b.max_abs;
}

std::vector<Group> GroupsOf(const RunResult& run) {
  std::vector<Group> groups;
  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, size_t> places;
  for (const TensorResult& tensor : run.tensors) {
    const size_t place = places.emplace(Key(tensor.step, tensor.name), groups.size()).first->second;
    if (place == groups.size()) groups.emplace_back();
    Group& group = groups[place];
    group.ranks.push_back(&tensor);
    if (group.worst == nullptr || IsWorse(tensor, *group.worst)) group.worst = &tensor;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return a.worst->ok() != b.worst->ok() ? !a.worst->ok() : OffShare(*a.worst) > OffShare(*b.worst);
  });
  return groups;
}

std::string Fixed(double number) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", number);
  return buffer;
}

uint64_t InBucket(const TensorResult& tensor, size_t bucket) {
  return bucket < tensor.histogram.size() ? tensor.histogram[bucket] : 0;
}

// 0…1 by the logarithm of the count, so that one element of a million is still seen.
double LogShare(uint64_t count, uint64_t elements) {
  if (count == 0) return 0;
  return (1 + std::log10(static_cast<double>(count))) /
         (1 + std::log10(static_cast<double>(std::max(elements, count))));
}

std::string Bars(const TensorResult& tensor) {
  std::string out;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const uint64_t count = InBucket(tensor, bucket);
    const double x = static_cast<double>(bucket) * kBucketWidth;
    const double height = count == 0 ? 0 : std::max(2.0, LogShare(count, tensor.elements) * (kBarsHeight - 14));
    if (count == 0) continue;
    out += "<rect class=\"" + std::string(bucket < kFirstOff ? "in-bar" : "out-bar") + "\" x=\"" + Fixed(x + 1.5) +
           "\" width=\"" + Fixed(kBucketWidth - 3) + "\" y=\"" + Fixed(kBarsHeight - height) + "\" height=\"" +
           Fixed(height) + "\"><title>" + CountText(count) + (count == 1 ? " element " : " elements ") +
           std::string(kBucketText[bucket]) + "</title></rect><text text-anchor=\"middle\" x=\"" +
           Fixed(x + kBucketWidth / 2) + "\" y=\"" + Fixed(kBarsHeight - height - 3) + "\">" +
           (count < 10'000 ? std::to_string(count) : NumberText(static_cast<double>(count))) + "</text>";
  }
  return out;
}

std::string RankStrips(const Group& group, double top, double& bottom) {
  constexpr double kStrip = 7;
  std::string out;
  bottom = top;
  for (size_t i = 0; i < std::min(group.ranks.size(), kMaxTensorRanks); ++i) {
    const TensorResult& tensor = *group.ranks[i];
    for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
      const uint64_t count = InBucket(tensor, bucket);
      if (count == 0) continue;
      char opacity[16];
      std::snprintf(opacity, sizeof opacity, "%.2f", 0.15 + 0.85 * LogShare(count, tensor.elements));
      out += "<rect class=\"" + std::string(bucket < kFirstOff ? "in-bar" : "out-bar") + "\" x=\"" +
             Fixed(static_cast<double>(bucket) * kBucketWidth + 1.5) + "\" width=\"" + Fixed(kBucketWidth - 3) +
             "\" y=\"" + Fixed(bottom) + "\" height=\"" + Fixed(kStrip - 1) + "\" fill-opacity=\"" + opacity +
             "\"><title>rank " + std::to_string(tensor.rank) + ": " + CountText(count) + " " +
             std::string(kBucketText[bucket]) + "</title></rect>";
    }
    out += "<text text-anchor=\"end\" x=\"-5\" y=\"" + Fixed(bottom + kStrip - 0.5) + "\" style=\"font-size:8px\">" +
           std::to_string(tensor.rank) + "</text>";
    bottom += kStrip;
  }
  return out;
}

std::string Tick(const std::string& x, const std::string& text) {
  return "<line class=\"tick\" x1=\"" + x + "\" x2=\"" + x +
         "\" y1=\"18\" y2=\"26\"/><text text-anchor=\"middle\" x=\"" + x + "\" y=\"38\">" + text + "</text>";
}

// Absolute errors on decades, with the tolerance for values near 0 as a line.
std::string Ruler(const TensorResult& tensor) {
  std::vector<double> values;
  for (const double value : {tensor.max_abs, tensor.mean_abs, tensor.rms, tensor.tolerance.atol}) {
    if (std::isfinite(value) && value > 0) values.push_back(std::log10(value));
  }
  if (values.empty() || !(tensor.max_abs > 0)) return "";
  double low = std::floor(*std::min_element(values.begin(), values.end()) - 0.2);
  double high = std::ceil(*std::max_element(values.begin(), values.end()) + 0.2);
  if (high - low < 3) high = low + 3;
  const auto x = [&](double value) { return Fixed((std::log10(value) - low) / (high - low) * kWidth); };
  const double step = std::ceil((high - low) / 7);
  std::string out =
      "<svg viewBox=\"-22 0 330 40\" role=\"img\" aria-label=\"absolute errors\"><line class=\"tick\" x1=\"0\" "
      "x2=\"300\" y1=\"22\" y2=\"22\"/>";
  for (double decade = low; decade <= high + 0.5; decade += step) {
    const std::string at = Fixed((decade - low) / (high - low) * kWidth);
    out += Tick(at, "1e" + Fixed(decade).substr(0, Fixed(decade).find('.')));
  }
  const auto mark = [&](double value, std::string_view path, std::string_view what) {
    if (!(value > 0) || !std::isfinite(value)) return std::string();
    return "<g transform=\"translate(" + x(value) + ",0)\"><path class=\"first\" d=\"" + std::string(path) +
           "\"/><title>" + std::string(what) + " " + NumberText(value) + "</title></g>";
  };
  if (tensor.tolerance.atol > 0) {
    out += "<line class=\"limit\" x1=\"" + x(tensor.tolerance.atol) + "\" x2=\"" + x(tensor.tolerance.atol) +
           "\" y1=\"4\" y2=\"26\"/>";
  }
  out += mark(tensor.mean_abs, "M0 21L-4 12H4Z", "mean") +
         mark(tensor.rms, "M0 10L4 15L0 20L-4 15Z", "root mean square") +
         mark(tensor.max_abs, "M-1 8H1V21H-1Z", "maximum");
  return out + "</svg>";
}

std::string Shape(const TensorResult& tensor) {
  std::string out = "[";
  for (size_t i = 0; i < std::min<size_t>(tensor.shape.size(), 16); ++i)
    out += (i == 0 ? "" : " × ") + std::to_string(tensor.shape[i]);
  return out + "]";
}

std::string Picture(const Group& group) {
  const TensorResult& tensor = *group.worst;
  std::string out = "<div class=\"tensor " + std::string(tensor.ok() ? "ok" : "off") + "\"><h3 class=\"mono\">" +
                    Name(tensor.name) + "</h3><p>" + Name(tensor.step) + " · " + Name(tensor.dtype) + " " +
                    Shape(tensor) + " · |error| ≤ " + NumberText(tensor.tolerance.atol) + " + " +
                    NumberText(tensor.tolerance.rtol) + " · |expected|</p>";
  double bottom = kBarsHeight + 3;
  std::string strips;
  if (group.ranks.size() > 1) strips = RankStrips(group, kBarsHeight + 4, bottom);
  const double height = bottom + 14;
  const std::string limit = Fixed(kFirstOff * kBucketWidth);
  out += "<svg viewBox=\"-22 0 330 " + Fixed(height) +
         "\" role=\"img\" aria-label=\"elements by error\"><line class=\"tick\" x1=\"0\" x2=\"300\" y1=\"" +
         Fixed(kBarsHeight) + "\" y2=\"" + Fixed(kBarsHeight) + "\"/>" + Bars(tensor) + strips +
         "<line class=\"limit\" x1=\"" + limit + "\" x2=\"" + limit + "\" y1=\"0\" y2=\"" + Fixed(bottom) + "\"/>";
  constexpr std::array<std::string_view, 6> kTicks = {"1/1000", "1/100", "1/10", "1", "10", "100"};
  for (size_t i = 0; i < kTicks.size(); ++i) {
    out += "<text text-anchor=\"middle\" x=\"" + Fixed(static_cast<double>(i + 1) * kBucketWidth) + "\" y=\"" +
           Fixed(height - 2) + "\">" + std::string(kTicks[i]) + "</text>";
  }
  out += "</svg>" + Ruler(tensor) + "<p>";
  if (tensor.ok()) {
    out += VerdictBadge(Verdict::kPassed) + " all of " + CountText(tensor.elements) + " within";
  } else {
    out += VerdictBadge(Verdict::kFailed) + " " + CountText(tensor.off) + " of " + CountText(tensor.elements) + " off";
    if (tensor.not_a_number > 0) out += ", " + CountText(tensor.not_a_number) + " not a number";
  }
  if (tensor.rank != kNoRank && group.ranks.size() > 1) {
    size_t off_ranks = 0;
    for (const TensorResult* rank : group.ranks) off_ranks += rank->ok() ? 0 : 1;
    out += tensor.ok()
               ? " on all " + CountText(group.ranks.size()) + " ranks; bars: rank " + std::to_string(tensor.rank)
               : " on rank " + std::to_string(tensor.rank) + " (" + CountText(off_ranks) + " of " +
                     CountText(group.ranks.size()) + " ranks off)";
  }
  out += "<br>max " + NumberText(tensor.max_abs) + ", rms " + NumberText(tensor.rms) + ", mean " +
         NumberText(tensor.mean_abs) + ", max relative " + NumberText(tensor.max_rel);
  if (!tensor.ok()) {
    out += "<br>worst at " + CountText(tensor.worst) + ": " + NumberText(tensor.worst_actual) + " instead of " +
           NumberText(tensor.worst_expected) + "; first at " + CountText(tensor.first_off);
  }
  return out + "</p></div>\n";
}

}  // namespace

std::string TensorPictures(const RunResult& run) {
  if (run.tensors.empty()) return "";
  const std::vector<Group> groups = GroupsOf(run);
  size_t off = 0;
  for (const Group& group : groups) off += group.worst->ok() ? 0 : 1;
  std::string out = "<h2>Errors of tensors <small>" + CountText(groups.size()) + " compared" +
                    (off > 0 ? ", " + CountText(off) + " off" : "") +
                    "</small></h2><p class=\"legend\"><span>Bars: elements by error in units of what is tolerated, "
                    "counts on a logarithmic scale; dashed: the tolerance; strips: the ranks.</span><span>Scale below: "
                    "absolute error; ▼ mean, ◆ root mean square, ▮ maximum; dashed: absolute tolerance.</span></p>"
                    "<div class=\"tensors\">\n";
  // What is off, and some more; the rest unfolds.
  const size_t open = std::max<size_t>(off, 12);
  const size_t begin = out.size();
  size_t shown = 0;
  while (shown < std::min(groups.size(), kMaxTensors) && out.size() - begin < kMaxTensorsBytes) {
    if (shown == open) {
      out += "</div><details class=\"more\"><summary>" + CountText(groups.size() - open) +
             " more, all of them within</summary><div class=\"tensors\">";
    }
    out += Picture(groups[shown++]);
  }
  out += shown > open ? "</div></details>" : "</div>";
  if (groups.size() > shown)
    out += "<p class=\"soft\">" + CountText(groups.size() - shown) + " more are in tensors.json.</p>";
  return out + "\n";
}

}  // namespace yardmaster::worker::html
