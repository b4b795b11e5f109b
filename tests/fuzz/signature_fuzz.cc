// Any header and body against two secrets: what fits is exactly what was signed with one of them. The first line of the
// input is the header, the rest the body.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "services/intake/webhooks/signature.h"

namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using yardmaster::CheckProof;
  using yardmaster::ProofState;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  const std::string_view header = input.substr(0, line);
  const std::string_view body = line == std::string_view::npos ? std::string_view() : input.substr(line + 1);
  const std::vector<yardmaster::WebhookSecret> secrets = {{yardmaster::Secret("It's a Secret to Everybody"), {}},
                                                          {yardmaster::Secret("fgiuagyds"), {}}};
  yardmaster::Proof proof;
  proof.signature = header;
  proof.token = header;
  proof.accept_token = true;
  const yardmaster::ProofResult result = CheckProof(proof, body, secrets);
  std::vector<size_t> expected;
  for (size_t i = 0; i < secrets.size(); ++i) {
    if (Lower(header) == yardmaster::Sign(secrets[i].secret.Reveal(), body)) expected.push_back(i);
  }
  if (result.secrets != expected) std::abort();
  if ((result.state == ProofState::kValid) != !expected.empty()) std::abort();
  // What we sign fits.
  const std::string signature = yardmaster::Sign("fgiuagyds", body);
  proof.signature = signature;
  if (CheckProof(proof, body, secrets).secrets != std::vector<size_t>{1}) std::abort();
  return 0;
}
