#!/usr/bin/env python3
"""The same work with Python's package websockets. Options and output are those of the Swift clients."""

import argparse
import asyncio
import json
import resource
import sys
import time

from websockets.asyncio.client import connect


def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def round_trips(socket, count, payload):
    for _ in range(count):
        await socket.send(payload)
        check(await socket.recv(), payload)


async def stream(socket, count, payload):
    async def send():
        for _ in range(count):
            await socket.send(payload)

    sender = asyncio.create_task(send())
    for _ in range(count):
        check(await socket.recv(), payload)
    await sender


def check(message, payload):
    if message != payload:
        sys.exit("a message is wrong")


async def main(order):
    url = order.url.replace("http", "ws", 1)
    options = {"compression": None, "max_size": None, "ping_interval": None, "proxy": None}
    payload = b"a" * order.bytes
    others = order.in_flight - 1 if order.work == "echo" else 0
    idle = [await connect(url, **options) for _ in range(others)]
    first = await connect(url, **options)
    await round_trips(first, order.warm_up, payload)
    extras = {}
    start_memory, wall, processor = status("VmRSS") * 1024, time.monotonic(), cpu()
    if order.work == "idle":
        sockets = [await connect(url, **options) for _ in range(order.count)]
        extras["memoryPerTask"] = (status("VmRSS") * 1024 - start_memory) / len(sockets)
    elif order.work == "echo":
        await round_trips(first, order.count, payload)
    elif order.work == "echo-stream":
        await stream(first, order.count, payload)
    else:
        sys.exit("the Python client does not support this work")
    sample = {
        "count": order.count, "wall": time.monotonic() - wall, "cpu": cpu() - processor,
        "peakMemory": status("VmHWM") * 1024, "startMemory": start_memory, "fileMemory": status("RssFile") * 1024,
        "threads": status("Threads"), "extras": extras,
    }
    print(json.dumps(sample), flush=True)


parser = argparse.ArgumentParser()
for name in ["--work", "--url", "--face", "--connections", "--file"]:
    parser.add_argument(name)
for name in ["--count", "--bytes", "--warm-up", "--in-flight"]:
    parser.add_argument(name, type=int, default=0)
asyncio.run(main(parser.parse_args()))
