package main

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"

	"steward.dev/examples/grpc/stubs/copiedcsvv1"
)

// copies runs the commands about copied ClusterServiceVersions: watch, or preview on|off.
func copies(ctx context.Context, connection *grpc.ClientConn, command, choice string) error {
	client := copiedcsvv1.NewCopiedCSVServiceClient(connection)
	switch {
	case command == "watch":
		return repeat(ctx, func(token *string) error { return followCopies(ctx, client, token) })
	case command == "preview" && choice == "on":
		return previewCopies(ctx, client, copiedcsvv1.Choice_CHOICE_ON)
	case command == "preview" && choice == "off":
		return previewCopies(ctx, client, copiedcsvv1.Choice_CHOICE_OFF)
	}
	return errors.New("usage: copies watch | copies preview on|off")
}

// followCopies handles one call. A state is whole: there is nothing to remember but its token.
func followCopies(ctx context.Context, client copiedcsvv1.CopiedCSVServiceClient, token *string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := client.Watch(ctx, &copiedcsvv1.WatchRequest{ResumeToken: *token})
	if err != nil {
		return err
	}
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		if state := message.GetState(); state != nil {
			fmt.Printf("copies %s by %s: %d right, %d missing, %d unexpected, %d unexplained\n", state.Desired.GetCopies(),
				state.Desired.GetDecidedBy(), state.Right, state.Missing, state.Unexpected, state.Unexplained)
		}
		*token = message.ResumeToken
		if *once {
			return nil
		}
	}
}

// previewCopies shows all pages, and the sums, which are on each.
func previewCopies(ctx context.Context, client copiedcsvv1.CopiedCSVServiceClient, choice copiedcsvv1.Choice) error {
	request := &copiedcsvv1.PreviewRequest{Choice: choice}
	var hidden int64
	for {
		page, err := client.Preview(ctx, request)
		if err != nil {
			return err
		}
		for _, change := range page.Changes {
			lost := ""
			if change.RequesterLosesSight {
				lost = ", which you lose sight of"
			}
			fmt.Println(change.Action, change.Namespace, change.Name, "of", change.OperatorNamespace+lost)
		}
		hidden += page.Hidden
		if request.PageToken = page.NextPageToken; request.PageToken != "" {
			continue
		}
		if hidden > 0 {
			fmt.Println("and", hidden, "that you may not see")
		}
		fmt.Println(page.Summary.GetCreates(), "to make,", page.Summary.GetDeletes(), "to delete")
		return nil
	}
}
