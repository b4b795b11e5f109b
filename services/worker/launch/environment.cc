#include "services/worker/launch/environment.h"

#include <unistd.h>

#include <cctype>

#include "absl/algorithm/container.h"

namespace yardmaster::worker {
namespace {

// Handed on as they are: they say nothing about a person's things but how to write and what time it is.
constexpr std::string_view kHandedOn[] = {"TZ", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE"};
constexpr std::string_view kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// Names of variables that hold secrets by custom.
constexpr std::string_view kSecretWords[] = {"TOKEN",      "SECRET",  "PASSWORD",   "PASSWD",
                                             "CREDENTIAL", "API_KEY", "PRIVATE_KEY"};

bool NameOfSecret(std::string_view name) {
  std::string upper(name);
  absl::c_transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return absl::c_any_of(kSecretWords, [&](std::string_view word) { return upper.find(word) != std::string::npos; });
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
    const size_t equals = line.find('=');
    if (equals != std::string::npos) out[line.substr(0, equals)] = line.substr(equals + 1);
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
    const std::string_view line = *entry;
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      out.emplace(std::string(line.substr(0, equals)), std::string(line.substr(equals + 1)));
    }
  }
  return out;
}

}  // namespace yardmaster::worker
