#include "services/worker/launch/environment.h"

#include <unistd.h>

#include "absl/algorithm/container.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

// Handed on as they are: they say nothing about a person's things but how to write and what time it is.
constexpr std::string_view kHandedOn[] = {"TZ", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE"};
constexpr std::string_view kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// Names of variables that hold secrets by custom.
constexpr std::string_view kSecretWords[] = {"token",      "secret",  "password",   "passwd",
                                             "credential", "api_key", "private_key"};

bool NameOfSecret(std::string_view name) {
  const std::string lower = LowerCase(name);
  return absl::c_any_of(kSecretWords, [&](std::string_view word) { return Contains(lower, word); });
}

bool HoldsSecret(std::string_view value, const std::vector<std::string>& secrets) {
  return absl::c_any_of(secrets, [&](const std::string& secret) {
    return !secret.empty() && value.find(secret) != std::string_view::npos;
  });
}

}  // namespace

Environment BaseEnvironment(const EnvironmentRequest& request, std::vector<std::string>& notes) {
  Environment out;
  const auto path = request.worker.find("PATH");
  out["PATH"] = path == request.worker.end() || path->second.empty() ? std::string(kDefaultPath) : path->second;
  if (!request.first_in_path.empty()) out["PATH"] = request.first_in_path.native() + ":" + out["PATH"];
  for (const std::string_view name : kHandedOn) {
    const auto value = request.worker.find(std::string(name));
    if (value != request.worker.end()) out[value->first] = value->second;
  }
  // Output is UTF-8 and not for a terminal.
  if (!out.contains("LANG") && !out.contains("LC_ALL")) out["LANG"] = "C.UTF-8";
  out["TERM"] = "dumb";
  out["HOME"] = request.home.native();
  out["TMPDIR"] = request.temp.native();
  // Lines come when they are printed, and a crash says where it was.
  out["PYTHONUNBUFFERED"] = "1";
  out["PYTHONFAULTHANDLER"] = "1";
  // Nothing is written beside sources that were only lent.
  out["PYTHONDONTWRITEBYTECODE"] = "1";
  out["PYTEST_ADDOPTS"] = "-o cache_dir=" + (request.temp / "pytest_cache").native();
  for (const std::string& line : request.visible_devices) {
    const std::vector<std::string_view> parts = Split(line, '=', 2);
    if (parts.size() == 2) out[std::string(parts[0])] = parts[1];
  }
  for (const std::string& name : request.pass) {
    const auto value = request.worker.find(name);
    if (value == request.worker.end()) continue;
    if (NameOfSecret(name) || HoldsSecret(value->second, request.secrets)) {
      notes.push_back("the variable " + name + " was not handed on: it looks like a secret");
      continue;
    }
    out[name] = value->second;
  }
  return out;
}

Environment WithoutSecrets(const Environment& variables, const std::vector<std::string>& secrets,
                           std::vector<std::string>& held_back) {
  Environment out;
  for (const auto& [name, value] : variables) {
    if (HoldsSecret(value, secrets)) {
      held_back.push_back(name);
    } else {
      out[name] = value;
    }
  }
  return out;
}

Environment WorkerEnvironment() {
  Environment out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::vector<std::string_view> parts = Split(*entry, '=', 2);
    if (parts.size() == 2) out.emplace(parts[0], parts[1]);
  }
  return out;
}

}  // namespace yardmaster::worker
