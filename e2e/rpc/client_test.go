package rpc_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"steward.dev/e2e/cluster"
)

const service = "steward.cleanup.v1.CleanupService"

// message is one in its JSON form; 64-bit numbers are strings there.
type message = map[string]any

// client knows nothing of the service but what reflection tells it.
type client struct {
	*grpc.ClientConn
	service protoreflect.ServiceDescriptor
	types   *protoregistry.Files
}

// dial connects with any certificate, or none.
func dial(t *testing.T, pair cluster.Pair) *grpc.ClientConn {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.PEM)
	config := &tls.Config{RootCAs: roots}
	if pair.Cert != "" {
		certificate, err := tls.LoadX509KeyPair(pair.Cert, pair.Key)
		must(t, err)
		config.Certificates = []tls.Certificate{certificate}
	}
	connection, err := grpc.NewClient(grpcAddress, grpc.WithTransportCredentials(credentials.NewTLS(config)),
		grpc.WithNoProxy(), grpc.WithConnectParams(quickly))
	must(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// as is a client with a certificate that names the user.
func as(t *testing.T, user string, groups ...string) *client {
	t.Helper()
	connection := dial(t, certificateOf(t, user, groups...))
	types, err := describe(t.Context(), connection, service)
	must(t, err)
	descriptor, err := types.FindDescriptorByName(service)
	must(t, err)
	return &client{connection, descriptor.(protoreflect.ServiceDescriptor), types}
}

func certificateOf(t *testing.T, user string, groups ...string) cluster.Pair {
	t.Helper()
	pair, err := authority.Client(t.TempDir(), "client", user, groups...)
	must(t, err)
	return pair
}

// describe asks for the files that define a symbol.
func describe(ctx context.Context, connection *grpc.ClientConn, symbol string) (*protoregistry.Files, error) {
	stream, err := reflection.NewServerReflectionClient(connection).ServerReflectionInfo(ctx, grpc.WaitForReady(true))
	if err != nil {
		return nil, err
	}
	err = stream.Send(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: symbol},
	})
	if err != nil {
		return nil, err
	}
	answer, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	for _, encoded := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
		file := &descriptorpb.FileDescriptorProto{}
		if err := proto.Unmarshal(encoded, file); err != nil {
			return nil, err
		}
		set.File = append(set.File, file)
	}
	return protodesc.NewFiles(set)
}

func (c *client) method(name string) protoreflect.MethodDescriptor {
	return c.service.Methods().ByName(protoreflect.Name(name))
}

func fill(descriptor protoreflect.MessageDescriptor, content message) (*dynamicpb.Message, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	filled := dynamicpb.NewMessage(descriptor)
	return filled, protojson.Unmarshal(text, filled)
}

func read(from *dynamicpb.Message) (content message, err error) {
	text, err := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(from)
	if err != nil {
		return nil, err
	}
	return content, json.Unmarshal(text, &content)
}

// call asks once.
func (c *client) call(ctx context.Context, name string, content message) (message, error) {
	method := c.method(name)
	request, err := fill(method.Input(), content)
	if err != nil {
		return nil, err
	}
	response := dynamicpb.NewMessage(method.Output())
	if err := c.Invoke(ctx, "/"+service+"/"+name, request, response, grpc.WaitForReady(true)); err != nil {
		return nil, err
	}
	return read(response)
}

// stream is one call of Watch.
type stream struct {
	grpc.ClientStream
	output protoreflect.MessageDescriptor
}

func (c *client) watch(ctx context.Context, content message) (*stream, error) {
	method := c.method("Watch")
	request, err := fill(method.Input(), content)
	if err != nil {
		return nil, err
	}
	raw, err := c.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+service+"/Watch", grpc.WaitForReady(true))
	if err != nil {
		return nil, err
	}
	if err := raw.SendMsg(request); err != nil {
		return nil, err
	}
	return &stream{raw, method.Output()}, raw.CloseSend()
}

func (s *stream) next() (message, error) {
	received := dynamicpb.NewMessage(s.output)
	if err := s.RecvMsg(received); err != nil {
		return nil, err
	}
	return read(received)
}

// kind is what a message of Watch says, in a word or three.
func kind(m message) string {
	for _, event := range []string{"snapshotBegin", "snapshotEnd", "progress"} {
		if _, is := m[event]; is {
			return event
		}
	}
	for _, event := range []string{"changed", "removed"} {
		if about, is := m[event].(message); is {
			return fmt.Sprintf("%s %s/%s", event, about["namespace"], about["name"])
		}
	}
	return "nothing"
}

// kubernetesCode is the HTTP code in the details of an error.
func kubernetesCode(err error) int {
	for _, detail := range status.Convert(err).Proto().GetDetails() {
		if detail.TypeUrl != "type.googleapis.com/steward.common.v1.KubernetesStatus" {
			continue
		}
		// Field 1 is the code; it comes first.
		if len(detail.Value) > 2 && detail.Value[0] == 1<<3 {
			return int(detail.Value[1]&0x7f) | int(detail.Value[2])<<7
		}
	}
	return 0
}

func expectCode(t *testing.T, what string, err error, want codes.Code) {
	t.Helper()
	if status.Code(err) != want {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}
