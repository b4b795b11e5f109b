// Who may call, and how connections are protected: the sections "tokens", "tls" and "proxy".
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/config/config_parser.h"

namespace yardmaster {

void ConfigParser::ParseToken(JsonPlace place) {
  TokenEntry token;
  ObjectReader reader(context_, std::move(place), "a token");
  if (auto name = reader.RequiredString("name")) {
    const bool taken = absl::c_any_of(config_.tokens, [&](const TokenEntry& other) { return other.name == *name; });
    if (!IsConfigName(*name)) {
      reader.Problem("name", "expected a name of letters, digits, \".\", \"_\" and \"-\"");
    } else if (taken) {
      reader.Problem("name", absl::StrCat("the name \"", *name, "\" is taken by another token"));
    }
    token.name = *std::move(name);
  }
  if (auto text = reader.RequiredString("role")) {
    const std::optional<Role> role = RoleFromName(*text);
    if (!role.has_value()) reader.Problem("role", "expected \"viewer\", \"operator\", \"admin\" or \"runner\"");
    token.role = role.value_or(Role::kViewer);
  }
  if (token.role != Role::kRunner && (reader.Has("runners") || reader.Has("pool"))) {
    reader.Problem(reader.Has("runners") ? "runners" : "pool", "only tokens of the role \"runner\" have this");
  }
  for (const JsonPlace& name : reader.Strings("runners")) token.runner.names.push_back(name.value->get<std::string>());
  if (auto pool = reader.String("pool")) {
    if (*pool != "trusted" && *pool != "untrusted") reader.Problem("pool", "expected \"trusted\" or \"untrusted\"");
    token.runner.pool = *std::move(pool);
  }
  if (auto secret = reader.Any("secret")) {
    token.secret = ParseSecret(*secret);
    const std::string& value = token.secret.Reveal();
    // What metadata can't carry would never match.
    if (absl::c_any_of(value, [](char c) { return c <= 0x20 || c >= 0x7f; })) {
      context_.Problem(secret->pointer, "a token is printable ASCII without blanks");
    }
    for (const TokenEntry& other : config_.tokens) {
      if (!value.empty() && other.secret.Reveal() == value) {
        context_.Problem(secret->pointer, absl::StrCat("this is also the secret of the token \"", other.name,
                                                       "\": each token needs its own"));
      }
    }
    if (!value.empty() && value.size() < 16) {
      config_.warnings.push_back(
          absl::StrCat("the token \"", token.name, "\" has fewer than 16 characters: it can be guessed"));
    }
  } else {
    reader.Missing("secret", "{\"env\": NAME} or {\"file\": PATH}");
  }
  reader.Finish();
  config_.tokens.push_back(std::move(token));
}

void ConfigParser::ParseTls(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "tls");
  TlsConfig tls;
  const size_t problems_before = context_.problems.size();
  const auto read_certificates = [&](std::string_view key, std::string& out) {
    const std::optional<std::string> path = reader.String(key);
    if (!path.has_value() || !options_.resolve_secrets) return;
    std::optional<std::string> pem = ReadFile(*path, reader.PointerTo(key), kMaxPemBytes);
    if (!pem.has_value()) return;
    const absl::Status valid = ValidateCertificateChain(*pem, *path);
    if (!valid.ok()) reader.Problem(key, std::string(valid.message()));
    out = *std::move(pem);
  };
  if (!reader.Has("certificate"))
    reader.Missing("certificate", "the path of a PEM file with the server's certificate chain");
  read_certificates("certificate", tls.material.certificate_chain);
  if (auto key = reader.Any("key")) {
    tls.material.private_key = ParseSecret(*key);
    if (!tls.material.private_key.empty()) {
      const absl::Status valid = ValidatePrivateKey(tls.material.private_key, "key");
      if (!valid.ok()) context_.Problem(key->pointer, std::string(valid.message()));
    }
  } else {
    reader.Missing("key", "the certificate's private key: {\"file\": PATH} or {\"env\": NAME}");
  }
  read_certificates("client_ca", tls.material.client_ca);
  if (reader.Has("listeners")) {
    tls.http = false;
    tls.grpc = false;
    for (const JsonPlace& element : reader.Strings("listeners")) {
      const std::string& name = element.value->get_ref<const std::string&>();
      if (name == "http") {
        tls.http = true;
      } else if (name == "grpc") {
        tls.grpc = true;
      } else {
        context_.Problem(element.pointer, "expected \"http\" or \"grpc\"");
      }
    }
  }
  // known to Finish
  reader.Any("listeners");
  reader.Finish();
  if (context_.problems.size() == problems_before && options_.resolve_secrets) {
    const absl::Status fits = ValidateKeyFitsCertificate(tls.material, "certificate");
    if (!fits.ok()) context_.Problem(reader.PointerTo("key"), std::string(fits.message()));
  }
  config_.tls = std::move(tls);
}

void ConfigParser::ParseProxy(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "the proxy");
  ProxyConfig& proxy = config_.proxy;
  if (!reader.Has("url")) reader.Missing("url", "http://HOST:PORT, or \"\" for none");
  if (auto url = reader.Any("url")) {
    proxy.url = url->value->is_string() ? url->value->get<std::string>() : "?";
    const std::optional<Url> parsed = ParseUrl(*proxy.url);
    if (!proxy.url->empty() && (!parsed.has_value() || (parsed->scheme != "http" && parsed->scheme != "https"))) {
      reader.Problem("url",
                     "expected http://HOST:PORT or https://HOST:PORT, or \"\" for none; a name and a password "
                     "have keys of their own");
    }
  }
  for (const JsonPlace& host : reader.Strings("no_proxy")) {
    proxy.no_proxy.push_back(host.value->get<std::string>());
    if (proxy.no_proxy.back().find_first_of(", \t\r\n") != std::string::npos) {
      context_.Problem(host.pointer, "expected one host, or a domain with a dot in front");
    }
  }
  proxy.user = reader.String("user").value_or("");
  if (auto password = reader.Any("password")) proxy.password = ParseSecret(*password);
  reader.Finish();
}

}  // namespace yardmaster
