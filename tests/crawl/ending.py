"""How the test servers end: when nobody holds their standard input any more, or when their time is up."""

import asyncio
import sys


async def wait_for_end(seconds):
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        await asyncio.wait_for(reader.read(), seconds)
    except asyncio.TimeoutError:
        pass


async def serve_until_end(server, seconds):
    """Says where it listens, and serves until then. What hangs on purpose does not keep it."""
    print(server.sockets[0].getsockname()[1], flush=True)
    await wait_for_end(seconds)
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
