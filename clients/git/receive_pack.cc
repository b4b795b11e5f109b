#include "clients/git/receive_pack.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clients/git/pkt_line.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr size_t kIdLength = 40;
constexpr std::string_view kNoId = "0000000000000000000000000000000000000000";
// Names no ref: what a repository without refs greets with, so that it can say what it can.
constexpr std::string_view kNoRef = "capabilities^{}";
constexpr size_t kMaxRefs = 200'000;
// A pack without objects, for a server that has them all: version 2, none, and the checksum of that.
constexpr std::string_view kEmptyPack(
    "PACK\x00\x00\x00\x02\x00\x00\x00\x00\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3"
    "\x1e",
    32);

bool IsId(std::string_view text) {
  return text.size() == kIdLength && absl::c_all_of(text, [](char c) { return absl::ascii_isxdigit(c); });
}

std::string_view IdOrNone(const std::string& id) { return id.empty() ? kNoId : std::string_view(id); }

}  // namespace

std::optional<ReceivePackGreeting> ParseReceiveGreeting(std::string_view body, std::string& error) {
  using Kind = PktReader::Kind;
  ReceivePackGreeting greeting;
  PktReader reader(body);
  PktReader::Pkt pkt = reader.Next();
  // What HTTP puts in front.
  if (pkt.kind == Kind::kText && PktText(pkt) == "# service=git-receive-pack") {
    pkt = reader.Next();
    if (pkt.kind == Kind::kFlush) pkt = reader.Next();
  }
  for (bool first = true; pkt.kind == Kind::kText; pkt = reader.Next()) {
    std::string_view line = PktText(pkt);
    if (first) {
      const size_t nul = line.find('\0');
      const std::string_view abilities = nul == line.npos ? std::string_view() : line.substr(nul + 1);
      for (const std::string& word : std::vector<std::string>(absl::StrSplit(Abs(abilities), ' '))) {
        if (word == "report-status") greeting.reports = true;
        if (word.starts_with("object-format=") && word != "object-format=sha1") {
          error = "it names objects in another way than by SHA-1";
          return std::nullopt;
        }
      }
      line = line.substr(0, nul);
      first = false;
    }
    if (line.starts_with("ERR ")) {
      error = std::string(line.substr(4));
      return std::nullopt;
    }
    if (line.starts_with("version 1")) continue;
    const size_t space = line.find(' ');
    if (space == line.npos || !IsId(line.substr(0, space)) || greeting.refs.size() == kMaxRefs) {
      error = "its list of refs can't be read";
      return std::nullopt;
    }
    const std::string_view name = line.substr(space + 1);
    if (name != kNoRef) greeting.refs.push_back({std::string(name), std::string(line.substr(0, space))});
  }
  if (pkt.kind != Kind::kFlush) {
    error = "its list of refs has no end";
    return std::nullopt;
  }
  return greeting;
}

std::string PushRequest(const RefMove& move, std::string_view pack, std::string_view agent) {
  std::string line = absl::StrCat(Abs(IdOrNone(move.old_id)), " ", Abs(IdOrNone(move.new_id)), " ", move.ref);
  line.push_back('\0');
  absl::StrAppend(&line, " report-status agent=", Abs(agent), "\n");
  std::string body = absl::StrCat(PktLine(line), Abs(kPktFlush));
  if (!move.new_id.empty()) body.append(pack.empty() ? kEmptyPack : pack);
  return body;
}

std::optional<PushReport> ParsePushReport(std::string_view body, const std::string& ref, std::string& error) {
  using Kind = PktReader::Kind;
  PushReport report;
  PktReader reader(body);
  bool unpacked = false;
  PktReader::Pkt pkt = reader.Next();
  for (; pkt.kind == Kind::kText; pkt = reader.Next()) {
    const std::string_view line = PktText(pkt);
    if (line == "unpack ok") {
      unpacked = true;
    } else if (line.starts_with("unpack ")) {
      report.refusal = std::string(line.substr(std::string_view("unpack ").size()));
    } else if (line == "ok " + ref) {
      report.done = unpacked;
    } else if (const std::string no = absl::StrCat("ng ", ref, " "); line.starts_with(no)) {
      if (report.refusal.empty()) report.refusal = std::string(line.substr(no.size()));
    }
  }
  if (pkt.kind == Kind::kBroken || (!report.done && report.refusal.empty())) {
    error = "it does not say what became of the push";
    return std::nullopt;
  }
  return report;
}

}  // namespace yardmaster
