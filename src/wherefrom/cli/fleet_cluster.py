"""`wherefrom fleet compile --ray`: the same nodes, compiled on the machines of a cluster.

What a worker needs is the request as it was written (the options) and the files; from these it does what the command
does here. Files are shipped by their names below the current directory, so that a catalog compiled elsewhere names the
same files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from .. import __version__
from ..base.diagnostics import UsageError
from ..base.folder import lasting_scratch_folder
from ..fleet.cluster import BATCH, LOCAL, Cluster, on_cluster, shippable
from ..fleet.compiling import Worker
from ..fleet.rounds import Exchange
from ..fleet.store import Store
from ..fleet.workers import Result
from .options import Invocation


def on_ray(
    options: dict[str, Any],
    invocation: Invocation,
    path: str | None,
    store: Store,
    cluster: Cluster,
    exchange: Exchange,
) -> Callable[[Sequence[str]], Iterator[tuple[str, Result]]]:
    """What compiles nodes on a cluster.  Raises `UsageError` if the environment can not be shipped."""
    paths = invocation.watched(path)
    if not shippable(paths[:1]):
        raise UsageError(f"{paths[0]} must be below the current directory, because it is copied to the other machines")
    settings = [name for name in ("wherefrom.toml",) if os.path.exists(name)]
    request = {"version": __version__, "path": path, "options": json.dumps(options), "key": store.key()}

    def compiled(nodes: Sequence[str]) -> Iterator[tuple[str, Result]]:
        asked = {**request, "exports": exchange.shipped(), "members": exchange.members}  # those of this round
        return on_cluster(cluster, [*paths, *settings], store.path, compile_nodes, asked, nodes)

    return compiled


def cluster_of(address: str, parts: str | None, jobs: int | None, batch: int | None) -> Cluster:
    """The cluster that the options mean.  Raises `UsageError`."""
    if parts is None:
        if address != LOCAL:
            raise UsageError("name storage that all machines of the cluster share: --parts DIR, or a URL such as s3://")
        parts = lasting_scratch_folder("wherefrom-parts-")
    place = parts if "://" in parts else os.path.abspath(parts)
    return Cluster(address, place, jobs, batch or BATCH)


def compile_nodes(root: str, request: dict[str, Any], nodes: Sequence[str]) -> list[tuple[str, Result]]:
    """On some machine: the results of nodes, by files that lie below `root`.  Each batch is whole in itself."""
    if request["version"] != __version__:
        raise UsageError(f"this host runs wherefrom {__version__}, but the caller runs {request['version']}")
    invocation = _invocation(root, request["options"])
    path: str | None = request["path"]
    side = invocation.side(path, request["key"])

    exchange = side.exchange = Exchange.of_shipped(request["exports"])
    exchange.others = invocation.database
    exchange.join(request["members"])

    def run(node: str, reads: object) -> Any:
        more: dict[str, Any] = {"exports": exchange, "storeconfigs": True}
        return invocation.run(path, node, trace=True, reads=reads, **more)

    worker = Worker(run, side)
    with invocation.standing_still(path):
        return [(node, worker.result(node)) for node in nodes]


@lru_cache(maxsize=1)
def _invocation(root: str, options: str) -> Invocation:
    """The request in this process, whose session keeps what it has read from one batch to the next."""
    os.chdir(root)
    given: dict[str, object] = json.loads(options)
    return Invocation({name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})
