// Protocol version 2 of git, as far as a reader needs it: what the server can, "send me these objects", and its answer.
// Pure; see gitprotocol-v2(5).
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

struct FetchAsk {
  std::vector<std::string> objects;  // names, 40 hex digits each
  bool without_history = false;      // abilities().shallow only
  bool without_files = false;        // abilities().filter only
};

// The body of POST git-upload-pack.
std::string FetchRequest(const FetchAsk& ask, std::string_view agent);

struct FetchAnswer {
  std::string pack;     // its bytes
  std::string refusal;  // what the server said instead of sending one
};

// Reads the answer to that. nullopt and `error` if it is none.
std::optional<FetchAnswer> ParseFetchAnswer(std::string body, std::string& error);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_UPLOAD_PACK_H_
