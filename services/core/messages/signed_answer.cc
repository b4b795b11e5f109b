#include "services/core/messages/signed_answer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace yardmaster {

std::string SignedTextOf(std::string_view runner, std::string_view session, v1::WorkResponse answer) {
  answer.clear_signature();
  std::string text = "yardmaster work\n";
  text.append(runner).append("\n").append(session).append("\n");
  google::protobuf::io::StringOutputStream bytes(&text);  // appends
  google::protobuf::io::CodedOutputStream out(&bytes);
  out.SetSerializationDeterministic(true);
  answer.SerializeToCodedStream(&out);
  out.Trim();
  return text;
}

}  // namespace yardmaster
