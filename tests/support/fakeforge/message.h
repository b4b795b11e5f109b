// Requests and answers of the fake forge, without sockets: the state machine works on these.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_MESSAGE_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_MESSAGE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yardmaster::fakeforge {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method = "GET";
  std::string target = {};  // path and query, as sent
  Headers headers = {};
  std::string body = {};

  std::string_view path() const;
  std::string_view query() const;
  // The first header of that name, case ignored; empty if there is none.
  std::string_view Header(std::string_view name) const;
  // A value of the query, decoded; empty if there is none.
  std::string Parameter(std::string_view name) const;
  // The path's parts, decoded.
  std::vector<std::string> Parts() const;
};

struct Answer {
  // How it travels.
  enum class Transport : uint8_t {
    kWhole,
    kSlow,   // in small pieces, over some seconds
    kReset,  // not at all: the connection breaks
  };
  int status = 200;
  std::string content_type = "application/json; charset=utf-8";
  std::string body = {};
  Headers headers = {};
  Transport transport = Transport::kWhole;
};

// "%2F" → "/". What is no escape stays.
std::string UrlDecode(std::string_view text);

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_MESSAGE_H_
