package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"google.golang.org/grpc"

	"steward.dev/examples/grpc/stubs/planv1"
)

// plans runs the commands about InstallPlans: list, watch, or preview of a plan or of a bundle's manifests.
func plans(ctx context.Context, connection *grpc.ClientConn, words []string) error {
	client := planv1.NewPlanServiceClient(connection)
	switch {
	case len(words) == 1 && words[0] == "list":
		return listPlans(ctx, client)
	case len(words) == 1 && words[0] == "watch":
		known := map[string]bool{}
		return repeat(ctx, func(token *string) error { return followPlans(ctx, client, token, known) })
	case len(words) == 3 && words[0] == "preview":
		return previewPlan(ctx, client, &planv1.PreviewRequest{
			Namespace: words[1], Asked: &planv1.PreviewRequest_InstallPlan{InstallPlan: words[2]},
		})
	case len(words) > 3 && words[0] == "preview" && words[2] == "bundle":
		bundle := &planv1.Bundle{}
		for _, file := range words[3:] {
			manifest, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			bundle.Manifests = append(bundle.Manifests, string(manifest))
		}
		return previewPlan(ctx, client, &planv1.PreviewRequest{
			Namespace: words[1], Asked: &planv1.PreviewRequest_Bundle{Bundle: bundle},
		})
	}
	return errors.New("usage: plans list | plans watch | plans preview NAMESPACE NAME | plans preview NAMESPACE bundle FILE.json...")
}

// listPlans shows all pages: they are of one and the same state.
func listPlans(ctx context.Context, client planv1.PlanServiceClient) error {
	request := &planv1.ListRequest{Namespace: *namespace}
	for {
		page, err := client.List(ctx, request)
		if err != nil {
			return err
		}
		for _, plan := range page.Previews {
			showPlan(plan)
		}
		if request.PageToken = page.NextPageToken; request.PageToken == "" {
			return nil
		}
	}
}

// followPlans handles one call, and keeps the names of the plans that there are.
func followPlans(ctx context.Context, client planv1.PlanServiceClient, token *string, known map[string]bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := client.Watch(ctx, &planv1.WatchRequest{Namespace: *namespace, ResumeToken: *token})
	if err != nil {
		return err
	}
	fresh := map[string]bool{} // what was in the snapshot
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		switch event := message.Event.(type) {
		case *planv1.WatchResponse_SnapshotBegin_:
			clear(fresh)
		case *planv1.WatchResponse_Changed:
			name := event.Changed.Namespace + " " + event.Changed.Name
			fresh[name], known[name] = true, true
			showPlan(event.Changed)
		case *planv1.WatchResponse_Removed_:
			name := event.Removed.Namespace + " " + event.Removed.Name
			delete(known, name)
			fmt.Println(name, "gone")
		case *planv1.WatchResponse_SnapshotEnd_:
			for name := range known {
				if !fresh[name] {
					delete(known, name)
					fmt.Println(name, "gone")
				}
			}
		}
		*token = message.ResumeToken
		if *once && *token != "" {
			return nil
		}
	}
}

// previewPlan shows what would become of each step now.
func previewPlan(ctx context.Context, client planv1.PlanServiceClient, request *planv1.PreviewRequest) error {
	preview, err := client.Preview(ctx, request)
	if err != nil {
		return err
	}
	for _, step := range preview.Steps {
		fmt.Println(step.Outcome, step.Kind, step.Namespace, step.Name, "by", step.Basis+":", step.Reason, step.Message)
	}
	if preview.Hidden > 0 {
		fmt.Println("and", preview.Hidden, "that you may not see")
	}
	fmt.Println("executable:", preview.Executable.GetStatus(), preview.Executable.GetReason(), preview.Executable.GetMessage())
	return nil
}

func showPlan(plan *planv1.PlanPreview) {
	fmt.Println(plan.Namespace, plan.Name, plan.Phase, len(plan.Steps), "steps")
}
