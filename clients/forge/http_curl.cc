#include "clients/forge/http_curl.h"

#include <curl/curl.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/forge_error.h"
#include "services/core/absl_view.h"
#include "services/core/address.h"

namespace yardmaster {
namespace {

using Kind = HttpFailure::Kind;

struct HandleDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using Handle = std::unique_ptr<CURL, HandleDeleter>;

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListDeleter>;

// libcurl wants to be told once a process; this is safe from several threads.
bool InitCurl() {
  static const bool kStarted = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return kStarted;
}

// TLS writes to a connection that the other side has closed raise SIGPIPE, and libcurl leaves that to us since it must
// not touch the process's signals (CURLOPT_NOSIGNAL). Holds the signal back in this thread, and takes away what came.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    ::sigemptyset(&pending);
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec at_once{0, 0};
    if (!was_pending_) {
      while (::sigtimedwait(&pipe_, nullptr, &at_once) == SIGPIPE) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

// Scheme, host and port of an URL as libcurl itself reads it, so that both never see different hosts. Empty if it is no
// URL, or one with a user name.
std::string ComparableOrigin(const std::string& url) {
  struct UrlDeleter {
    void operator()(CURLU* parsed) const { curl_url_cleanup(parsed); }
  };
  const std::unique_ptr<CURLU, UrlDeleter> parsed(curl_url());
  if (parsed == nullptr || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_DISALLOW_USER) != CURLUE_OK) {
    return {};
  }
  std::string out;
  for (const CURLUPart part : {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT}) {
    char* text = nullptr;
    if (curl_url_get(parsed.get(), part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
    for (const char* c = text; *c != '\0'; ++c) out += *c >= 'A' && *c <= 'Z' ? static_cast<char>(*c + 32) : *c;
    out += ' ';
    curl_free(text);
  }
  return out;
}

// Hosts that are reached without a proxy: what is configured, else what the environment says, and this machine.
std::string NoProxy(const ProxyConfig& proxy) {
  std::string hosts = absl::StrJoin(proxy.no_proxy, ",");
  for (const char* name : {"no_proxy", "NO_PROXY"}) {
    const char* value = std::getenv(name);
    if (hosts.empty() && !proxy.url.has_value() && value != nullptr) hosts = value;
  }
  if (hosts != "*") absl::StrAppend(&hosts, hosts.empty() ? "" : ",", "localhost,127.0.0.1,::1,[::1]");
  return hosts;
}

bool HasLineBreak(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
}

// One transfer: what the callbacks write to.
struct Transfer {
  const HttpLimits& limits;
  const std::function<bool()>& cancelled;
  const std::atomic<bool>& stopped;
  OutgoingResponse response;
  size_t header_bytes = 0;
  std::string_view too_large;  // which limit was passed

  Transfer(const OutgoingRequest& request, const std::atomic<bool>& stopped)
      : limits(request.limits), cancelled(request.cancelled), stopped(stopped) {}

  static size_t OnBody(char* data, size_t size, size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const size_t bytes = size * count;
    if (bytes > transfer.limits.body_bytes - transfer.response.body.size()) {
      transfer.too_large = "body";
      return CURL_WRITEFUNC_ERROR;
    }
    transfer.response.body.append(data, bytes);
    return bytes;
  }

  static size_t OnHeader(char* data, size_t size, size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const size_t bytes = size * count;
    transfer.header_bytes += bytes;
    if (transfer.header_bytes > transfer.limits.header_bytes) {
      transfer.too_large = "headers";
      return CURL_WRITEFUNC_ERROR;
    }
    std::string_view line(data, bytes);
    while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
    // Every answer begins with its status line; only the last one, after 1xx, counts.
    if (line.starts_with("HTTP/")) {
      transfer.response.headers.clear();
      return bytes;
    }
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return bytes;
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
    transfer.response.headers.push_back({std::string(line.substr(0, colon)), std::string(value)});
    return bytes;
  }

  static int OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    const auto& transfer = *static_cast<Transfer*>(self);
    return transfer.stopped.load(std::memory_order_relaxed) || (transfer.cancelled && transfer.cancelled()) ? 1 : 0;
  }
};

Kind KindOf(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
      return Kind::kConnect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      return Kind::kTls;
    case CURLE_OPERATION_TIMEDOUT:
      return Kind::kTimeout;
    case CURLE_ABORTED_BY_CALLBACK:
      return Kind::kStopped;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_CONTENT_ENCODING:
      return Kind::kProtocol;
    case CURLE_URL_MALFORMAT:
      return Kind::kNotAllowed;
    default:
      return Kind::kReset;
  }
}

class CurlHttpClient final : public HttpClient {
 public:
  CurlHttpClient(CurlHttpOptions options, std::vector<std::string> origins)
      : options_(std::move(options)), origins_(std::move(origins)), no_proxy_(NoProxy(options_.proxy)) {}
  ~CurlHttpClient() override {
    // Closing connections sends their last messages.
    const NoBrokenPipe no_broken_pipe;
    idle_.clear();
  }
  CurlHttpClient(const CurlHttpClient&) = delete;
  CurlHttpClient& operator=(const CurlHttpClient&) = delete;

  HttpResult Send(const OutgoingRequest& request) override;
  void Stop() override { stopped_.store(true, std::memory_order_relaxed); }

 private:
  // Empty, or why this request is not made.
  std::string Refuse(const OutgoingRequest& request) const;
  void Configure(CURL* handle, const OutgoingRequest& request, const curl_slist* headers, Transfer& transfer,
                 char* error_text) const;
  Handle Take();
  void GiveBack(Handle handle);

  const CurlHttpOptions options_;
  const std::vector<std::string> origins_;
  const std::string no_proxy_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::vector<Handle> idle_;
};

std::string CurlHttpClient::Refuse(const OutgoingRequest& request) const {
  if (HasLineBreak(request.method) || request.method.empty()) return "the method is not valid";
  for (const HttpHeader& header : request.headers) {
    if (header.name.empty() || HasLineBreak(header.name) || HasLineBreak(header.value)) {
      return "a header has a line break or no name";
    }
  }
  const std::string origin = HasLineBreak(request.url) ? "" : ComparableOrigin(request.url);
  if (origin.empty()) return "not a URL that can be contacted";
  for (const std::string& allowed : origins_) {
    if (allowed == origin) return {};
  }
  return "the host is not one of the configured ones";
}

Handle CurlHttpClient::Take() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.empty()) return Handle(curl_easy_init());
  // The one used last has the warmest connection.
  Handle handle = std::move(idle_.back());
  idle_.pop_back();
  return handle;
}

void CurlHttpClient::GiveBack(Handle handle) {
  // Keeps connections and sessions, forgets headers and with them the token.
  curl_easy_reset(handle.get());
  std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.size() < options_.max_idle) idle_.push_back(std::move(handle));
}

void CurlHttpClient::Configure(CURL* handle, const OutgoingRequest& request, const curl_slist* headers,
                               Transfer& transfer, char* error_text) const {
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  // Unset, libcurl goes by the environment.
  if (options_.proxy.url.has_value()) curl_easy_setopt(handle, CURLOPT_PROXY, options_.proxy.url->c_str());
  if (!options_.proxy.user.empty()) {
    curl_easy_setopt(handle, CURLOPT_PROXYUSERNAME, options_.proxy.user.c_str());
    curl_easy_setopt(handle, CURLOPT_PROXYPASSWORD, options_.proxy.password.Reveal().c_str());
  }
  curl_easy_setopt(handle, CURLOPT_NOPROXY, no_proxy_.c_str());
  curl_easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  // One request a connection at a time is all that blocking calls need, and HTTP/2 would repeat refused streams.
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));

  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!options_.ca_file.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO, options_.ca_file.c_str());

  // Signals belong to the daemon.
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count()));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));

  curl_easy_setopt(handle, CURLOPT_USERAGENT, options_.user_agent.c_str());
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  if (request.method == "GET") {
    curl_easy_setopt(handle, CURLOPT_HTTPGET, 1L);
  } else if (request.method == "HEAD") {
    curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  } else {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    curl_easy_setopt(handle, CURLOPT_FRESH_CONNECT, 1L);
  }

  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &Transfer::OnProgress);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error_text);
}

HttpResult CurlHttpClient::Send(const OutgoingRequest& request) {
  if (stopped_.load(std::memory_order_relaxed)) return HttpFailure{Kind::kStopped, false, "stopped"};
  if (std::string why = Refuse(request); !why.empty()) return HttpFailure{Kind::kNotAllowed, false, std::move(why)};
  // Zero would mean "no limit" to libcurl.
  if (request.timeout.count() <= 0) return HttpFailure{Kind::kTimeout, false, "no time left"};

  const NoBrokenPipe no_broken_pipe;
  Handle handle = Take();
  if (handle == nullptr) return HttpFailure{Kind::kConnect, false, "libcurl gave no handle"};
  List headers;
  const auto add_header = [&headers](const std::string& line) {
    if (curl_slist* longer = curl_slist_append(headers.get(), line.c_str()); longer != nullptr) {
      (void)headers.release();
      headers.reset(longer);
    }
  };
  for (const HttpHeader& header : request.headers) add_header(absl::StrCat(header.name, ": ", header.value));
  // Nothing would be called a form, and forges refuse forms.
  const bool typed = absl::c_any_of(
      request.headers, [](const HttpHeader& header) { return EqualsIgnoreCase(header.name, "Content-Type"); });
  if (!typed) add_header("Content-Type:");
  // Without this libcurl asks before it sends a larger body, and waits a second where nobody answers.
  add_header("Expect:");

  Transfer transfer(request, stopped_);
  std::array<char, CURL_ERROR_SIZE> error_text{};
  Configure(handle.get(), request, headers.get(), transfer, error_text.data());
  const CURLcode code = curl_easy_perform(handle.get());

  if (code == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
    transfer.response.status = static_cast<int>(status);
    GiveBack(std::move(handle));
    return std::move(transfer.response);
  }

  HttpFailure failure;
  failure.kind = KindOf(code);
  // Nothing has left when the connection never came to the point where a request is sent.
  curl_off_t pretransfer = 0;
  long request_bytes = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_PRETRANSFER_TIME_T, &pretransfer);
  curl_easy_getinfo(handle.get(), CURLINFO_REQUEST_SIZE, &request_bytes);
  // Nor when a proxy refused to connect us: the bytes were for the proxy.
  long connect_status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_HTTP_CONNECTCODE, &connect_status);
  const bool proxy_refused = connect_status != 0 && connect_status / 100 != 2;
  failure.sent = !proxy_refused && (pretransfer > 0 || request_bytes > 0);
  failure.detail = error_text[0] != '\0' ? error_text.data() : curl_easy_strerror(code);
  if (!transfer.too_large.empty()) {
    failure.kind = Kind::kTooLarge;
    failure.detail =
        absl::StrCat("the answer's ", Abs(transfer.too_large), " passed ",
                     transfer.too_large == "body" ? request.limits.body_bytes : request.limits.header_bytes, " bytes");
  }
  GiveBack(std::move(handle));
  return failure;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpClient>> MakeCurlHttpClient(CurlHttpOptions options) {
  const ForgeError invalid{ForgeReason::kInvalidInput, ForgeOutcome::kNotSent, 0, std::nullopt};
  if (!InitCurl()) {
    return MakeForgeStatus({ForgeReason::kUnsupported, ForgeOutcome::kNotSent, 0, std::nullopt},
                           "libcurl can't be started");
  }
  std::vector<std::string> origins;
  for (const std::string& url : options.origins) {
    const std::optional<Url> parsed = ParseUrl(url);
    std::string origin = ComparableOrigin(url);
    if (!parsed.has_value() || origin.empty()) return MakeForgeStatus(invalid, absl::StrCat("not a URL: ", url));
    if (parsed->scheme != "https" && !(parsed->scheme == "http" && IsLoopbackHost(parsed->host))) {
      return MakeForgeStatus(invalid, absl::StrCat("expected https, or http for loopback: ", url));
    }
    origins.push_back(std::move(origin));
  }
  return std::make_unique<CurlHttpClient>(std::move(options), std::move(origins));
}

}  // namespace yardmaster
