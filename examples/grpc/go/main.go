// A small client of Steward's gRPC services: lists, watches, and shows what an uninstallation waits for, what turning copies
// off or on does, and what would become of InstallPlans and bundles.
//
//	go run . --ca ca.crt --cert me.crt --key me.key list
//	go run . ... watch
//	go run . ... pending NAMESPACE NAME
//	go run . ... copies watch
//	go run . ... copies preview on|off
//	go run . ... plans list
//	go run . ... plans watch
//	go run . ... plans preview NAMESPACE NAME
//	go run . ... plans preview NAMESPACE bundle FILE.json...
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"steward.dev/examples/grpc/stubs/cleanupv1"
	"steward.dev/examples/grpc/stubs/commonv1"
)

var (
	address   = flag.String("address", "127.0.0.1:9443", "where the controllers serve gRPC")
	ca        = flag.String("ca", "", "CA of their certificate, PEM")
	cert      = flag.String("cert", "", "this client's certificate, PEM: who it is")
	key       = flag.String("key", "", "its key, PEM")
	namespace = flag.String("namespace", "", "list and watch: one namespace; empty: all")
	once      = flag.Bool("once", false, "watch: end after the first snapshot, or state")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, explain(err))
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	connection, err := connect()
	if err != nil {
		return err
	}
	defer connection.Close()
	client := cleanupv1.NewCleanupServiceClient(connection)
	switch flag.Arg(0) {
	case "list":
		return list(ctx, client)
	case "watch":
		return watch(ctx, client)
	case "pending":
		return pending(ctx, client, flag.Arg(1), flag.Arg(2))
	case "copies":
		return copies(ctx, connection, flag.Arg(1), flag.Arg(2))
	case "plans":
		return plans(ctx, connection, flag.Args()[1:])
	}
	return errors.New("usage: list | watch | pending NAMESPACE NAME | copies watch | copies preview on|off | " +
		"plans list | plans watch | plans preview NAMESPACE NAME | plans preview NAMESPACE bundle FILE.json...")
}

func connect() (*grpc.ClientConn, error) {
	authority, err := os.ReadFile(*ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("%s holds no certificate", *ca)
	}
	pair, err := tls.LoadX509KeyPair(*cert, *key)
	if err != nil {
		return nil, err
	}
	return grpc.NewClient(*address, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{
		RootCAs: roots, Certificates: []tls.Certificate{pair},
	})))
}

// list shows all pages: they are of one and the same state.
func list(ctx context.Context, client cleanupv1.CleanupServiceClient) error {
	request := &cleanupv1.ListRequest{Namespace: *namespace}
	for {
		page, err := client.List(ctx, request)
		if err != nil {
			return err
		}
		for _, cleanup := range page.Statuses {
			show(cleanup)
		}
		if request.PageToken = page.NextPageToken; request.PageToken == "" {
			return nil
		}
	}
}

// watch keeps a map of what there is.
func watch(ctx context.Context, client cleanupv1.CleanupServiceClient) error {
	known := map[string]*cleanupv1.CleanupStatus{}
	return repeat(ctx, func(token *string) error { return follow(ctx, client, token, known) })
}

// repeat goes on where it was whenever the call ends.
func repeat(ctx context.Context, follow func(token *string) error) error {
	token, delay := "", time.Second
	for {
		before := token
		err := follow(&token)
		if *once || ctx.Err() != nil || final(err) {
			return err
		}
		if token != before {
			delay = time.Second
		}
		fmt.Fprintln(os.Stderr, "again in", delay, "because", err)
		select {
		case <-ctx.Done():
		case <-time.After(delay):
		}
		delay = min(2*delay, 30*time.Second)
	}
}

// follow handles one call; nil when the server ended it in order.
func follow(ctx context.Context, client cleanupv1.CleanupServiceClient, token *string, known map[string]*cleanupv1.CleanupStatus) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := client.Watch(ctx, &cleanupv1.WatchRequest{Namespace: *namespace, ResumeToken: *token})
	if err != nil {
		return err
	}
	var snapshot map[string]*cleanupv1.CleanupStatus // null = we are not within one
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		switch event := message.Event.(type) {
		case *cleanupv1.WatchResponse_SnapshotBegin_:
			snapshot = map[string]*cleanupv1.CleanupStatus{}
		case *cleanupv1.WatchResponse_Changed:
			name := event.Changed.Namespace + "/" + event.Changed.Name
			known[name] = event.Changed
			if snapshot != nil {
				snapshot[name] = event.Changed
			}
			show(event.Changed)
		case *cleanupv1.WatchResponse_Removed_:
			delete(known, event.Removed.Namespace+"/"+event.Removed.Name)
			fmt.Println(event.Removed.Namespace, event.Removed.Name, "gone")
		case *cleanupv1.WatchResponse_SnapshotEnd_:
			for name := range known {
				if snapshot[name] == nil {
					delete(known, name)
					fmt.Println(name, "gone")
				}
			}
			snapshot = nil
			if *once {
				return nil
			}
		}
		*token = message.ResumeToken
	}
}

func pending(ctx context.Context, client cleanupv1.CleanupServiceClient, namespace, name string) error {
	request := &cleanupv1.ListPendingRequest{Namespace: namespace, Name: name}
	var hidden int64
	for {
		page, err := client.ListPending(ctx, request)
		if err != nil {
			return err
		}
		for _, operand := range page.Operands {
			fmt.Println(operand.Plural+"."+operand.Group, operand.Namespace, operand.Name, operand.DeletionTimestamp)
		}
		hidden += page.Hidden
		if request.PageToken = page.NextPageToken; request.PageToken == "" {
			break
		}
	}
	if hidden > 0 {
		fmt.Println("and", hidden, "that you may not list")
	}
	return nil
}

func show(cleanup *cleanupv1.CleanupStatus) {
	fmt.Println(cleanup.Namespace, cleanup.Name, cleanup.Phase, cleanup.PendingCount)
}

// final says whether asking again is no use.
func final(err error) bool {
	switch status.Code(err) {
	case codes.PermissionDenied, codes.Unauthenticated, codes.InvalidArgument, codes.Unimplemented:
		return true
	}
	return false
}

// explain adds what the error's details say.
func explain(err error) string {
	text := err.Error()
	for _, detail := range status.Convert(err).Details() {
		if cause, ok := detail.(*commonv1.KubernetesStatus); ok {
			text += fmt.Sprintf(" [%d %s]", cause.Code, cause.Reason)
		}
	}
	return text
}
