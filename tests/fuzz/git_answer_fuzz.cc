// Any bytes as what a git server answers: refused, or a pack within its limits whose objects can be listed.
//
// The first byte chooses: a list of abilities, a list of refs, an answer to a fetch, a greeting or a report for a
// writer, a pack.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/git/git_objects.h"
#include "clients/git/pack_scan.h"
#include "clients/git/receive_pack.h"
#include "clients/git/upload_pack.h"

namespace {

using namespace yardmaster;

constexpr PackLimits kLimits{1'000, 1024 * 1024, 4 * 1024 * 1024};

void CheckPack(std::string_view pack) {
  if (ScanPack(pack, kLimits) != PackVerdict::kGood) return;
  std::string folder = (std::filesystem::temp_directory_path() / "yard-fuzz-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  {
    const std::unique_ptr<GitObjects> objects = GitObjects::Open(folder);
    std::string error;
    if (objects->AddPack(pack, error)) {
      // The commit of the first seed.
      const GitListing listing = objects->List("fd55bf0d80624f8b28e240b9019c89a7f61d5e49", "", 100);
      std::string text;
      for (const GitEntry& entry : listing.files) objects->Read(entry.object, 1024 * 1024, text);
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string error;
  if (data[0] == 'a') {
    ParseAbilities(text, error);
  } else if (data[0] == 'r') {
    const std::optional<std::vector<GitRef>> refs = ParseRefs(text, error);
    for (size_t i = 0; refs.has_value() && i < refs->size(); ++i) {
      if ((*refs)[i].object.size() != 40) std::abort();
    }
  } else if (data[0] == 'f') {
    const std::optional<FetchAnswer> answer = ParseFetchAnswer(std::string(text), error);
    if (answer.has_value() && answer->pack.size() > text.size()) std::abort();
    if (answer.has_value()) CheckPack(answer->pack);
  } else if (data[0] == 'w') {
    const std::optional<ReceivePackGreeting> greeting = ParseReceiveGreeting(text, error);
    for (size_t i = 0; greeting.has_value() && i < greeting->refs.size(); ++i) {
      if (greeting->refs[i].object.size() != 40) std::abort();
    }
  } else if (data[0] == 'p') {
    const std::optional<PushReport> report = ParsePushReport(text, "refs/heads/topic", error);
    if (report.has_value() && !report->done && report->refusal.empty()) std::abort();
  } else {
    CheckPack(text);
  }
  return 0;
}
