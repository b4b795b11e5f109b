// What differs between forges: the shape of their requests and answers. One Dialect for each; state.cc does the rest.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_DIALECT_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_DIALECT_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/fakeforge/message.h"
#include "tests/support/fakeforge/model.h"

namespace yardmaster::fakeforge {

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual std::string_view name() const = 0;
  // Issues and pull requests have one row of numbers; else each its own, and the kind is part of the address.
  virtual bool shared_numbers() const = 0;
  virtual size_t default_page() const = 0;
  virtual size_t min_label() const = 0;
  virtual size_t max_label() const = 0;  // characters
  // Whether answers carry ETag and Link.
  virtual bool github_headers() const = 0;

  // The token that a request carries; empty if none.
  virtual std::string Token(const Request& request) const = 0;
  // Labels of the body of a request that adds some; nullopt if it is not of the right form.
  virtual std::optional<std::vector<std::string>> AddedLabels(const nlohmann::json& body) const = 0;

  virtual nlohmann::json User(const std::string& login) const = 0;
  virtual nlohmann::json Label(const std::string& name) const = 0;
  virtual nlohmann::json Render(const Repository& repository) const = 0;
  // `as_pull`: as the pull request's own address answers.
  virtual nlohmann::json Render(const Repository& repository, const Subject& subject, bool as_pull) const = 0;
  virtual nlohmann::json Render(const Comment& comment) const = 0;
  // `alone`: as the comment's own address answers, not as one of a list.
  virtual nlohmann::json Render(const Subject& subject, const ReviewComment& comment, bool alone) const = 0;
  // What somebody may do: "none", "read", "write", "admin", …
  virtual nlohmann::json Permission(const std::string& login, const std::string& word) const = 0;
  virtual Answer Error(int status, const std::string& message) const = 0;

  struct Payload {
    std::string event;
    std::string action;
    nlohmann::json body;
  };
  virtual Payload Webhook(const ForgeChange& happening) const = 0;
  // A new commit on the default branch that changes `paths`.
  virtual Payload PushWebhook(const Repository& repository, const std::string& actor, const std::string& commit,
                              const std::vector<std::string>& paths) const = 0;
  // `signature` as "sha256=…"; empty: no secret.
  virtual Headers WebhookHeaders(const std::string& event, const std::string& guid,
                                 const std::string& signature) const = 0;
};

std::unique_ptr<Dialect> MakeGitHubDialect();
std::unique_ptr<Dialect> MakeGitCodeDialect();

// Whether the new side of a pull request's diff shows that line of a file; line 0: whether the file is among its files.
bool IsInDiff(const Subject& subject, const std::string& path, int64_t line);

// "2026-01-31T12:00:00Z".
std::string FormatTime(Time time);
// "Sat, 31 Jan 2026 12:00:00 GMT".
std::string FormatHttpDate(Time time);
size_t CountCharacters(std::string_view utf8);

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_DIALECT_H_
