#include "clients/git/upload_pack.h"

#include <cstring>
#include <utility>

#include "clients/git/pkt_line.h"

namespace yardmaster {
namespace {

using PktKind = PktReader::Kind;

// Whether a list of words separated by blanks has `word`.
bool HasWord(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool IsObjectName(std::string_view text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// How every request begins.
std::string Command(std::string_view name, std::string_view agent) {
  return PktLine("command=" + std::string(name) + "\n") + PktLine("agent=" + std::string(agent) + "\n") +
         PktLine("object-format=sha1\n") + std::string(kPktDelimiter);
}

}  // namespace

std::optional<UploadPackAbilities> ParseAbilities(std::string_view body, std::string& error) {
  PktReader reader(body);
  PktReader::Pkt pkt = reader.Next();
  // A greeting of the HTTP transport comes first, or does not.
  if (pkt.kind == PktKind::kText && pkt.text.starts_with("# service=")) {
    pkt = reader.Next();
    if (pkt.kind == PktKind::kFlush) pkt = reader.Next();
  }
  if (pkt.kind != PktKind::kText || PktText(pkt) != "version 2") {
    error = pkt.kind == PktKind::kText && pkt.text.starts_with("ERR ")
                ? std::string(PktText(pkt).substr(4))
                : "it does not speak version 2 of git's protocol";
    return std::nullopt;
  }
  UploadPackAbilities abilities;
  bool fetches = false;
  for (pkt = reader.Next(); pkt.kind == PktKind::kText; pkt = reader.Next()) {
    const std::string_view line = PktText(pkt);
    if (line == "fetch" || line.starts_with("fetch=")) {
      fetches = true;
      const std::string_view words = line.substr(std::min<size_t>(line.size(), 6));
      abilities.shallow = HasWord(words, "shallow");
      abilities.filter = HasWord(words, "filter");
    } else if (line.starts_with("object-format=") && line != "object-format=sha1") {
      error = "its objects are not named by SHA-1";
      return std::nullopt;
    }
  }
  if (pkt.kind != PktKind::kFlush || !fetches) {
    error = "its list of abilities is cut";
    return std::nullopt;
  }
  return abilities;
}

std::string RefsRequest(std::string_view prefix, std::string_view agent) {
  return Command("ls-refs", agent) + PktLine("ref-prefix " + std::string(prefix) + "\n") + std::string(kPktFlush);
}

std::optional<std::vector<GitRef>> ParseRefs(std::string_view body, std::string& error) {
  PktReader reader(body);
  std::vector<GitRef> refs;
  PktReader::Pkt pkt = reader.Next();
  for (; pkt.kind == PktKind::kText; pkt = reader.Next()) {
    std::string_view line = PktText(pkt);
    if (line.starts_with("ERR ")) {
      error = line.substr(4);
      return std::nullopt;
    }
    const std::string_view object = line.substr(0, line.find(' '));
    if (!IsObjectName(object)) continue;  // "unborn HEAD"
    line.remove_prefix(std::min(object.size() + 1, line.size()));
    refs.push_back({std::string(line.substr(0, line.find(' '))), std::string(object)});
  }
  if (pkt.kind != PktKind::kFlush) {
    error = "its list of refs is cut";
    return std::nullopt;
  }
  return refs;
}

std::string FetchRequest(const FetchAsk& ask, std::string_view agent) {
  std::string body = Command("fetch", agent);
  body += PktLine("ofs-delta\n");
  body += PktLine("no-progress\n");
  for (const std::string& commit : ask.shallow) body += PktLine("shallow " + commit + "\n");
  if (ask.depth > 0) body += PktLine("deepen " + std::to_string(ask.depth) + "\n");
  if (ask.without_files) body += PktLine("filter blob:none\n");
  for (const std::string& object : ask.objects) body += PktLine("want " + object + "\n");
  for (const std::string& commit : ask.have) body += PktLine("have " + commit + "\n");
  body += PktLine("done\n");
  body += kPktFlush;
  return body;
}

std::optional<FetchAnswer> ParseFetchAnswer(std::string body, std::string& error) {
  PktReader reader(body);
  FetchAnswer answer;
  // 1. What comes before the pack.
  PktReader::Pkt pkt = reader.Next();
  for (; !(pkt.kind == PktKind::kText && PktText(pkt) == "packfile"); pkt = reader.Next()) {
    if (pkt.kind == PktKind::kText && pkt.text.starts_with("ERR ")) {
      answer.refusal = PktText(pkt).substr(4);
      return answer;
    }
    if (const std::string_view line = PktText(pkt); line.starts_with("shallow ") && IsObjectName(line.substr(8))) {
      answer.shallow.emplace_back(line.substr(8));
    }
    if (pkt.kind != PktKind::kText && pkt.kind != PktKind::kDelimiter) {
      error = "it sent no pack";
      return std::nullopt;
    }
  }
  // 2. The pack, in pieces: each is moved to the end of the one before, which is always further left.
  size_t size = 0;
  for (pkt = reader.Next(); pkt.kind == PktKind::kText; pkt = reader.Next()) {
    const char band = pkt.text.empty() ? '\0' : pkt.text.front();
    const std::string_view data = pkt.text.substr(pkt.text.empty() ? 0 : 1);
    if (band == 1) {
      std::memmove(body.data() + size, data.data(), data.size());
      size += data.size();
    } else if (band == 3) {
      answer.refusal = data;
      if (answer.refusal.ends_with('\n')) answer.refusal.pop_back();
      return answer;
    } else if (band != 2) {  // 2: progress, for people
      error = "it sent a pack in a shape of its own";
      return std::nullopt;
    }
  }
  if (pkt.kind != PktKind::kFlush) {
    error = "its answer is cut";
    return std::nullopt;
  }
  body.resize(size);
  answer.pack = std::move(body);
  return answer;
}

}  // namespace yardmaster
