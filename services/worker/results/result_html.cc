// report.html: one file that can be mailed, kept and opened without a network.
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "services/worker/results/html_parts.h"
#include "services/worker/results/result_files.h"
#include "services/worker/results/text.h"

namespace yardmaster::worker {
namespace {

// Names the one script of the page to the browser, which then runs no other: not even one that a test's name would
// smuggle in past the escaping.
std::string ScriptHash() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  const std::string_view script = html::Script();
  SHA256(reinterpret_cast<const unsigned char*>(script.data()), script.size(), digest.data());
  std::array<unsigned char, 4 * (SHA256_DIGEST_LENGTH / 3 + 1) + 1> text{};
  EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(digest.size()));
  return "sha256-" + std::string(reinterpret_cast<const char*>(text.data()));
}

void Meta(std::string_view what, std::string_view value, std::string& out) {
  if (!value.empty()) out += "<span>" + std::string(what) + " <b>" + html::Name(value) + "</b></span>";
}

std::string Header(const RunResult& run) {
  std::string out = "<header><h1>" + html::Name(run.suite) + "</h1><span class=\"badge verdict " +
                    std::string(VerdictWord(run.verdict)) + "\">" + std::string(html::VerdictText(run.verdict)) +
                    "</span><div class=\"meta\">";
  Meta("job", run.job, out);
  Meta("started", run.started_at, out);
  Meta("took", DurationText(run.seconds), out);
  Meta("commit", std::string_view(run.commit).substr(0, 12), out);
  Meta("manifest", std::string_view(run.suite_digest).substr(0, 12), out);
  return out + "</div></header>\n";
}

std::string FirstCause(const RunResult& run) {
  const std::string word(VerdictWord(run.verdict));
  if (run.cause.has_value()) return "<div class=\"cause " + word + "\">" + html::Cause(*run.cause) + "</div>\n";
  if (run.reason.empty()) return "";
  return "<div class=\"cause " + word + "\"><h3>" + EscapeMarkup(run.reason, html::kMaxMessageBytes) + "</h3></div>\n";
}

std::string DeviceText(const Device& device) {
  std::string out = html::Name(device.model);
  if (device.memory_mb.has_value()) out += " · " + CountText(*device.memory_mb) + " MiB";
  if (!device.driver.empty()) out += " · driver " + html::Name(device.driver);
  if (!device.runtime.empty()) out += " · up to CUDA " + html::Name(device.runtime);
  if (!device.capability.empty()) out += " · capability " + html::Name(device.capability);
  if (!device.id.empty() && device.kind != rules::DeviceKind::kCpu)
    out += " · <code>" + html::Name(device.id) + "</code>";
  if (!device.health_reason.empty()) out += " · <b>" + html::Name(device.health_reason) + "</b>";
  return out;
}

std::string Devices(const RunResult& run) {
  if (run.devices.empty()) return "";
  std::string out = "<h2>Devices</h2><dl class=\"kv\">";
  // Processors are all alike.
  size_t processors = 0;
  for (const Device& device : run.devices) {
    if (device.kind == rules::DeviceKind::kCpu) {
      ++processors;
    } else {
      out += "<dt>" + html::Name(device.name) + "</dt><dd>" + DeviceText(device) + "</dd>";
    }
  }
  if (processors > 0) {
    const auto first = std::find_if(run.devices.begin(), run.devices.end(),
                                    [](const Device& device) { return device.kind == rules::DeviceKind::kCpu; });
    out += "<dt>processors</dt><dd>" + CountText(processors) + " for ranks";
    if (!first->model.empty()) out += " · " + html::Name(first->model);
    out += "</dd>";
  }
  return out + "</dl>\n";
}

std::string Versions(const RunResult& run) {
  if (run.versions.empty()) return "";
  std::string out = "<h2>Versions</h2><dl class=\"kv\">";
  for (const auto& [name, version] : run.versions)
    out += "<dt>" + html::Name(name) + "</dt><dd>" + html::Name(version) + "</dd>";
  return out + "</dl>\n";
}

std::string Notes(const RunResult& run) {
  if (run.notes.empty()) return "";
  std::string out = "<h2>Notes</h2><ul class=\"notes\">";
  for (size_t i = 0; i < std::min(run.notes.size(), html::kMaxNotes); ++i)
    out += "<li>" + EscapeMarkup(run.notes[i], html::kMaxMessageBytes) + "</li>";
  if (run.notes.size() > html::kMaxNotes)
    out += "<li>and " + CountText(run.notes.size() - html::kMaxNotes) + " more, in result.json</li>";
  return out + "</ul>\n";
}

}  // namespace

std::string ResultHtml(const RunResult& run) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src '" +
      ScriptHash() + "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      std::string(html::VerdictText(run.verdict)) + ": " + html::Name(run.suite) + "</title>\n<style>" +
      std::string(html::StyleSheet()) + "</style></head>\n<body>";
  // The pattern of victims; its colour is that of the lane.
  out +=
      "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs><pattern id=\"victim\" "
      "width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"6\" "
      "height=\"6\" style=\"fill:var(--tint)\"/><rect width=\"2.5\" height=\"6\" style=\"fill:var(--failed)\"/>"
      "</pattern></defs></svg>\n<main>";
  out += Header(run) + FirstCause(run) + html::LayerStrip(run) + html::StepList(run) + html::TensorPictures(run) +
         html::TestTable(run) + Devices(run) + Versions(run) + Notes(run);
  out += "</main>\n<script>" + std::string(html::Script()) + "</script>\n</body></html>\n";
  return out;
}

}  // namespace yardmaster::worker
