// Comments are the specification of the contracts: whatever a client can see has one.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace yardmaster {
namespace {

using google::protobuf::DescriptorProto;
using google::protobuf::EnumDescriptorProto;
using google::protobuf::FieldDescriptorProto;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;
using google::protobuf::ServiceDescriptorProto;
using google::protobuf::SourceCodeInfo;

constexpr char kPackage[] = "yardmaster.v1";

// Where an element stands in its file: field numbers and indices from the file's descriptor down (see
// descriptor.proto).
using Path = std::vector<int>;

Path Child(const Path& parent, int field_number, int index) {
  Path path = parent;
  path.push_back(field_number);
  path.push_back(index);
  return path;
}

bool HasText(const std::string& comment) { return comment.find_first_not_of(" \t\r\n") != std::string::npos; }

// Visits every element of one file and remembers those without a comment.
class CommentCheck {
 public:
  explicit CommentCheck(const FileDescriptorProto& file) : file_(file) {
    for (const SourceCodeInfo::Location& location : file.source_code_info().location()) {
      locations_[Path(location.path().begin(), location.path().end())] = &location;
    }
  }

  void Run() {
    for (int i = 0; i < file_.message_type_size(); ++i) {
      Message(file_.message_type(i), "", {FileDescriptorProto::kMessageTypeFieldNumber, i});
    }
    for (int i = 0; i < file_.enum_type_size(); ++i) {
      Enum(file_.enum_type(i), "", {FileDescriptorProto::kEnumTypeFieldNumber, i});
    }
    for (int i = 0; i < file_.service_size(); ++i) {
      Service(file_.service(i), {FileDescriptorProto::kServiceFieldNumber, i});
    }
  }

  int checked() const { return checked_; }
  const std::vector<std::string>& without_comment() const { return without_comment_; }

 private:
  void Check(const std::string& kind, const std::string& name, const Path& path) {
    ++checked_;
    const auto found = locations_.find(path);
    if (found == locations_.end()) {
      without_comment_.push_back(file_.name() + ": " + kind + " " + name + " has no source location");
      return;
    }
    const SourceCodeInfo::Location& location = *found->second;
    if (!HasText(location.leading_comments()) && !HasText(location.trailing_comments())) {
      const int line = location.span_size() > 0 ? location.span(0) + 1 : 0;
      without_comment_.push_back(file_.name() + ":" + std::to_string(line) + ": " + kind + " " + name +
                                 " has no comment");
    }
  }

  void Message(const DescriptorProto& message, const std::string& scope, const Path& path) {
    if (message.options().map_entry()) {
      return;  // Made by protoc for a map field; nobody can write a comment on it.
    }
    const std::string name = scope + message.name();
    Check("message", name, path);
    for (int i = 0; i < message.field_size(); ++i) {
      Check("field", name + "." + message.field(i).name(), Child(path, DescriptorProto::kFieldFieldNumber, i));
    }
    for (int i = 0; i < message.oneof_decl_size(); ++i) {
      if (!IsSynthetic(message, i)) {
        Check("oneof", name + "." + message.oneof_decl(i).name(),
              Child(path, DescriptorProto::kOneofDeclFieldNumber, i));
      }
    }
    for (int i = 0; i < message.nested_type_size(); ++i) {
      Message(message.nested_type(i), name + ".", Child(path, DescriptorProto::kNestedTypeFieldNumber, i));
    }
    for (int i = 0; i < message.enum_type_size(); ++i) {
      Enum(message.enum_type(i), name + ".", Child(path, DescriptorProto::kEnumTypeFieldNumber, i));
    }
  }

  void Enum(const EnumDescriptorProto& definition, const std::string& scope, const Path& path) {
    const std::string name = scope + definition.name();
    Check("enum", name, path);
    for (int i = 0; i < definition.value_size(); ++i) {
      Check("enum value", name + "." + definition.value(i).name(),
            Child(path, EnumDescriptorProto::kValueFieldNumber, i));
    }
  }

  void Service(const ServiceDescriptorProto& service, const Path& path) {
    Check("service", service.name(), path);
    for (int i = 0; i < service.method_size(); ++i) {
      Check("rpc", service.name() + "." + service.method(i).name(),
            Child(path, ServiceDescriptorProto::kMethodFieldNumber, i));
    }
  }

  // protoc puts every `optional` field into a oneof of its own, which is not in the source.
  static bool IsSynthetic(const DescriptorProto& message, int oneof_index) {
    return std::any_of(message.field().begin(), message.field().end(), [&](const FieldDescriptorProto& field) {
      return field.proto3_optional() && field.has_oneof_index() && field.oneof_index() == oneof_index;
    });
  }

  const FileDescriptorProto& file_;
  std::map<Path, const SourceCodeInfo::Location*> locations_;
  std::vector<std::string> without_comment_;
  int checked_ = 0;
};

TEST(ProtoComments, EveryElementOfTheContractsHasAComment) {
  FileDescriptorSet set;
  std::ifstream file(YARD_DESCRIPTOR_SET, std::ios::binary);
  ASSERT_TRUE(file.is_open()) << YARD_DESCRIPTOR_SET;
  ASSERT_TRUE(set.ParseFromIstream(&file)) << YARD_DESCRIPTOR_SET;

  int checked = 0;
  std::vector<std::string> without_comment;
  for (const FileDescriptorProto& proto : set.file()) {
    if (proto.package() != kPackage) {
      continue;  // An import such as google/protobuf/timestamp.proto.
    }
    CommentCheck check(proto);
    check.Run();
    checked += check.checked();
    without_comment.insert(without_comment.end(), check.without_comment().begin(), check.without_comment().end());
  }
  EXPECT_GT(checked, 100) << "the descriptor set does not hold the contracts";
  EXPECT_THAT(without_comment, testing::IsEmpty());
}

// A small contract made by hand: line 3 a message without a comment, whose one field has one.
FileDescriptorProto HandMadeFile() {
  FileDescriptorProto file;
  file.set_name("hand_made.proto");
  DescriptorProto* message = file.add_message_type();
  message->set_name("Bare");
  message->add_field()->set_name("told");
  SourceCodeInfo::Location* at = file.mutable_source_code_info()->add_location();
  for (int part : {4, 0}) {
    at->add_path(part);
  }
  for (int part : {2, 0, 20}) {
    at->add_span(part);
  }
  at->set_leading_comments(" \n");
  at = file.mutable_source_code_info()->add_location();
  for (int part : {4, 0, 2, 0}) {
    at->add_path(part);
  }
  for (int part : {3, 2, 20}) {
    at->add_span(part);
  }
  at->set_trailing_comments(" What it says.\n");
  return file;
}

TEST(ProtoComments, AnElementWithABlankCommentIsNamedWithItsLine) {
  const FileDescriptorProto file = HandMadeFile();
  CommentCheck check(file);
  check.Run();
  EXPECT_EQ(check.checked(), 2);
  EXPECT_THAT(check.without_comment(), testing::ElementsAre("hand_made.proto:3: message Bare has no comment"));
}

TEST(ProtoComments, AFileWithoutSourceLocationsFailsInsteadOfPassingUnseen) {
  FileDescriptorProto file = HandMadeFile();
  file.clear_source_code_info();
  CommentCheck check(file);
  check.Run();
  EXPECT_THAT(check.without_comment(), testing::SizeIs(2));
}

}  // namespace
}  // namespace yardmaster
