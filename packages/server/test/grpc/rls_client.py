# Asks the rate limit service: a request in JSON on each line of the input, the answer or the error on each line of the output.
# The folder of protoc's modules and the address of the server are the arguments.
import json
import sys

import grpc
from google.protobuf import json_format

sys.path.insert(0, sys.argv[1])
from envoy.service.ratelimit.v3 import rls_pb2  # noqa: E402

with grpc.insecure_channel(sys.argv[2]) as channel:
    ask = channel.unary_unary(
        "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
        request_serializer=rls_pb2.RateLimitRequest.SerializeToString,
        response_deserializer=rls_pb2.RateLimitResponse.FromString,
    )
    for line in sys.stdin:
        request = json_format.ParseDict(json.loads(line), rls_pb2.RateLimitRequest())
        try:
            answer = json_format.MessageToDict(ask(request, timeout=30))
        except grpc.RpcError as error:
            answer = {"code": error.code().name}
        print(json.dumps(answer), flush=True)
