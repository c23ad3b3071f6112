#!/usr/bin/env python3
"""A small client of Steward's gRPC services: lists, watches, and shows what an uninstallation waits for, what turning copies
off or on does, and what would become of InstallPlans and bundles.

    ./generate.sh     # once: cleanup_pb2.py and its kin, from the .proto files
    ./client.py --ca ca.crt --cert me.crt --key me.key list
    ./client.py ... watch
    ./client.py ... pending NAMESPACE NAME
    ./client.py ... copies watch
    ./client.py ... copies preview on|off
    ./client.py ... plans list
    ./client.py ... plans watch
    ./client.py ... plans preview NAMESPACE NAME
    ./client.py ... plans preview NAMESPACE bundle FILE.json...

Needs grpcio and protobuf, of whichever version: Debian's python3-grpcio and python3-protobuf will do.
"""

import argparse
import pathlib
import sys
import time

import grpc

# The generated modules import each other by the path of their .proto files.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "generated"))

from proto.steward.cleanup.v1 import cleanup_pb2, cleanup_pb2_grpc  # noqa: E402
from proto.steward.copiedcsv.v1 import copiedcsv_pb2, copiedcsv_pb2_grpc  # noqa: E402
from proto.steward.plan.v1 import plan_pb2, plan_pb2_grpc  # noqa: E402

# Asking again is no use.
FINAL = (
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
)


def connect(args):
    read = lambda path: pathlib.Path(path).read_bytes()
    credentials = grpc.ssl_channel_credentials(read(args.ca), read(args.key), read(args.cert))
    return grpc.secure_channel(args.address, credentials)


def show(status):
    print(status.namespace, status.name, status.phase, status.pending_count, flush=True)


def show_plan(plan):
    print(plan.namespace, plan.name, plan.phase, len(plan.steps), "steps", flush=True)


def pages(method, request):
    """All pages are of one and the same state."""
    while True:
        page = method(request, timeout=30)
        yield page
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token


def list_all(channel, args):
    stub = cleanup_pb2_grpc.CleanupServiceStub(channel)
    for page in pages(stub.List, cleanup_pb2.ListRequest(namespace=args.namespace)):
        for status in page.statuses:
            show(status)


def follow(messages, args, known, show):
    """Handles one call of Watch; yields the token to go on with after each message."""
    fresh = None  # within a snapshot: what was in it
    for message in messages:
        event = message.WhichOneof("event")
        if event == "snapshot_begin":
            fresh = set()
        elif event == "changed":
            key = (message.changed.namespace, message.changed.name)
            known[key] = message.changed
            if fresh is not None:
                fresh.add(key)
            show(message.changed)
        elif event == "removed":
            known.pop((message.removed.namespace, message.removed.name), None)
            print(message.removed.namespace, message.removed.name, "gone", flush=True)
        elif event == "snapshot_end":
            for key in [key for key in known if key not in fresh]:
                del known[key]
                print(*key, "gone", flush=True)
            fresh = None
            if args.once:
                return
        yield message.resume_token


def watch(channel, args):
    stub, known = cleanup_pb2_grpc.CleanupServiceStub(channel), {}
    request = lambda token: cleanup_pb2.WatchRequest(namespace=args.namespace, resume_token=token)
    repeat(args, lambda token: follow(stub.Watch(request(token)), args, known, show))


def repeat(args, follow_from):
    """Goes on where it was whenever the call ends."""
    token, delay = "", 1
    while True:
        try:
            for token in follow_from(token):
                delay = 1
            reason = "the server ended the call"
        except grpc.RpcError as error:
            if args.once or error.code() in FINAL:
                raise
            reason = error.details()
        if args.once:
            return
        print(f"again in {delay}s because {reason}", file=sys.stderr, flush=True)
        time.sleep(delay)
        delay = min(2 * delay, 30)


def pending(channel, args):
    stub = cleanup_pb2_grpc.CleanupServiceStub(channel)
    request = cleanup_pb2.ListPendingRequest(namespace=args.of[0], name=args.of[1])
    hidden = 0
    while True:
        page = stub.ListPending(request, timeout=30)
        for operand in page.operands:
            print(f"{operand.plural}.{operand.group}", operand.namespace, operand.name, operand.deletion_timestamp)
        hidden += page.hidden
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    if hidden:
        print("and", hidden, "that you may not list")


def follow_copies(stub, args, token):
    """Handles one call; a state is whole, so there is nothing to remember but its token."""
    for message in stub.Watch(copiedcsv_pb2.WatchRequest(resume_token=token)):
        if message.WhichOneof("event") == "state":
            state = message.state
            print(
                f"copies {state.desired.copies} by {state.desired.decided_by}: {state.right} right, "
                f"{state.missing} missing, {state.unexpected} unexpected, {state.unexplained} unexplained",
                flush=True,
            )
        if args.once:
            return
        yield message.resume_token


def preview_copies(stub, choice):
    request = copiedcsv_pb2.PreviewRequest(choice=choice)
    hidden = 0
    while True:
        page = stub.Preview(request, timeout=30)
        for change in page.changes:
            lost = ", which you lose sight of" if change.requester_loses_sight else ""
            print(change.action, change.namespace, change.name, "of", change.operator_namespace + lost)
        hidden += page.hidden
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    if hidden:
        print("and", hidden, "that you may not see")
    print(page.summary.creates, "to make,", page.summary.deletes, "to delete")


def copies(channel, args):
    stub = copiedcsv_pb2_grpc.CopiedCSVServiceStub(channel)
    if args.of == ["watch"]:
        repeat(args, lambda token: follow_copies(stub, args, token))
    else:
        preview_copies(stub, {"on": copiedcsv_pb2.CHOICE_ON, "off": copiedcsv_pb2.CHOICE_OFF}[args.of[1]])


def list_plans(stub, args):
    for page in pages(stub.List, plan_pb2.ListRequest(namespace=args.namespace)):
        for plan in page.previews:
            show_plan(plan)


def watch_plans(stub, args):
    known = {}
    request = lambda token: plan_pb2.WatchRequest(namespace=args.namespace, resume_token=token)
    repeat(args, lambda token: follow(stub.Watch(request(token)), args, known, show_plan))


def preview_plan(stub, namespace, asked):
    request = plan_pb2.PreviewRequest(namespace=namespace)
    if asked[0] == "bundle" and len(asked) > 1:
        request.bundle.manifests.extend(pathlib.Path(file).read_text() for file in asked[1:])
    else:
        request.install_plan = asked[0]
    preview = stub.Preview(request, timeout=60)
    for step in preview.steps:
        print(step.outcome, step.kind, step.namespace, step.name, "by", step.basis + ":", step.reason, step.message)
    if preview.hidden:
        print("and", preview.hidden, "that you may not see")
    print("executable:", preview.executable.status, preview.executable.reason, preview.executable.message)


def plans(channel, args):
    stub = plan_pb2_grpc.PlanServiceStub(channel)
    if args.of == ["list"]:
        list_plans(stub, args)
    elif args.of == ["watch"]:
        watch_plans(stub, args)
    else:
        preview_plan(stub, args.of[1], args.of[2:])


def main():
    parser = argparse.ArgumentParser(description="A small client of Steward's gRPC services.")
    parser.add_argument("--address", default="127.0.0.1:9443", help="where the controllers serve gRPC")
    parser.add_argument("--ca", required=True, help="CA of their certificate, PEM")
    parser.add_argument("--cert", required=True, help="this client's certificate, PEM: who it is")
    parser.add_argument("--key", required=True, help="its key, PEM")
    parser.add_argument("--namespace", default="", help="list and watch: one namespace; empty: all")
    parser.add_argument("--once", action="store_true", help="watch: end after the first snapshot, or state")
    parser.add_argument("command", choices=["list", "watch", "pending", "copies", "plans"])
    parser.add_argument("of", nargs="*", help="pending: NAMESPACE NAME; copies: watch, or preview on|off; plans: list, watch, "
                        "or preview NAMESPACE NAME, or preview NAMESPACE bundle FILE.json...")
    args = parser.parse_args()
    if args.command == "pending" and len(args.of) != 2:
        parser.error("pending needs NAMESPACE and NAME")
    if args.command == "copies" and args.of not in (["watch"], ["preview", "on"], ["preview", "off"]):
        parser.error("copies needs watch, preview on, or preview off")
    if args.command == "plans" and args.of not in (["list"], ["watch"]) and (args.of[:1] != ["preview"] or len(args.of) < 3):
        parser.error("plans needs list, watch, or preview NAMESPACE and what")
    with connect(args) as channel:
        try:
            commands = {"list": list_all, "watch": watch, "pending": pending, "copies": copies, "plans": plans}
            commands[args.command](channel, args)
        except grpc.RpcError as error:
            print(f"{error.code().name}: {error.details()}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
