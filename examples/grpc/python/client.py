#!/usr/bin/env python3
"""A small client of Steward's gRPC services: lists, watches, and shows what an uninstallation waits for, and what turning
copies off or on does.

    ./generate.sh     # once: cleanup_pb2.py and its kin, from the .proto files
    ./client.py --ca ca.crt --cert me.crt --key me.key list
    ./client.py ... watch
    ./client.py ... pending NAMESPACE NAME
    ./client.py ... copies watch
    ./client.py ... copies preview on|off

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


def list_all(channel, args):
    stub = cleanup_pb2_grpc.CleanupServiceStub(channel)
    request = cleanup_pb2.ListRequest(namespace=args.namespace)
    while True:
        page = stub.List(request, timeout=30)
        for status in page.statuses:
            show(status)
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token


def follow(stub, args, known, token):
    """Handles one call of Watch; yields the token to go on with after each message."""
    fresh = None  # within a snapshot: what was in it
    for message in stub.Watch(cleanup_pb2.WatchRequest(namespace=args.namespace, resume_token=token)):
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
    repeat(args, lambda token: follow(stub, args, known, token))


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


def main():
    parser = argparse.ArgumentParser(description="A small client of Steward's gRPC services.")
    parser.add_argument("--address", default="127.0.0.1:9443", help="where the controllers serve gRPC")
    parser.add_argument("--ca", required=True, help="CA of their certificate, PEM")
    parser.add_argument("--cert", required=True, help="this client's certificate, PEM: who it is")
    parser.add_argument("--key", required=True, help="its key, PEM")
    parser.add_argument("--namespace", default="", help="list and watch: one namespace; empty: all")
    parser.add_argument("--once", action="store_true", help="watch: end after the first snapshot, or state")
    parser.add_argument("command", choices=["list", "watch", "pending", "copies"])
    parser.add_argument("of", nargs="*", help="pending: NAMESPACE NAME; copies: watch, or preview on|off")
    args = parser.parse_args()
    if args.command == "pending" and len(args.of) != 2:
        parser.error("pending needs NAMESPACE and NAME")
    if args.command == "copies" and args.of not in (["watch"], ["preview", "on"], ["preview", "off"]):
        parser.error("copies needs watch, preview on, or preview off")
    with connect(args) as channel:
        try:
            {"list": list_all, "watch": watch, "pending": pending, "copies": copies}[args.command](channel, args)
        except grpc.RpcError as error:
            print(f"{error.code().name}: {error.details()}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
