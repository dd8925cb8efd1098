# Writes the .proto files that protobuf itself brings, as a FileDescriptorSet: Debian has them with the library for Python, but not
# with protoc.
import sys

from google.protobuf import any_pb2, descriptor_pb2, duration_pb2, struct_pb2, timestamp_pb2, wrappers_pb2

files = descriptor_pb2.FileDescriptorSet()
for module in (descriptor_pb2, any_pb2, duration_pb2, struct_pb2, timestamp_pb2, wrappers_pb2):
    module.DESCRIPTOR.CopyToProto(files.file.add())
sys.stdout.buffer.write(files.SerializeToString())
