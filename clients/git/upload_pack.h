// Protocol version 2 of git, as far as a reader needs it: what the server can, where refs point to, "send me
// these objects", and its answers. Pure; see gitprotocol-v2(5).
#ifndef YARDMASTER_CLIENTS_GIT_UPLOAD_PACK_H_
#define YARDMASTER_CLIENTS_GIT_UPLOAD_PACK_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster {

struct UploadPackAbilities {
  bool shallow = false;  // a commit without its history
  bool filter = false;   // folders without their files
};

// Reads the answer to GET info/refs?service=git-upload-pack. nullopt and `error` if the server speaks no version 2 or
// another kind of object names.
std::optional<UploadPackAbilities> ParseAbilities(std::string_view body, std::string& error);

// The body of POST git-upload-pack that asks where refs that begin with `prefix` point to.
std::string RefsRequest(std::string_view prefix, std::string_view agent);

struct GitRef {
  std::string name;    // "refs/pull/7/head"
  std::string object;  // 40 hex digits
};

// Reads the answer to that. nullopt and `error` if it is none.
std::optional<std::vector<GitRef>> ParseRefs(std::string_view body, std::string& error);

// As FetchAsk::depth: all of the history, also where an earlier answer left some out.
inline constexpr int kWholeHistory = 0x7fffffff;

struct FetchAsk {
  std::vector<std::string> objects;       // names, 40 hex digits each
  int depth = 0;                          // abilities().shallow only: so many commits of each history; 0: all of it
  bool without_files = false;             // abilities().filter only
  std::vector<std::string> have = {};     // commits that are here with all they need
  std::vector<std::string> shallow = {};  // those among what is here whose parents are not
};

// The body of POST git-upload-pack that asks for objects.
std::string FetchRequest(const FetchAsk& ask, std::string_view agent);

struct FetchAnswer {
  std::string pack;                  // its bytes
  std::string refusal;               // what the server said instead of sending one
  std::vector<std::string> shallow;  // commits that it sent without their parents
};

// Reads the answer to that. nullopt and `error` if it is none.
std::optional<FetchAnswer> ParseFetchAnswer(std::string body, std::string& error);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_UPLOAD_PACK_H_
