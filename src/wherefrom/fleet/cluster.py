"""Nodes compiled on many machines, by Ray: files shipped once for each host, batches of nodes as tasks.

Everything about scheduling is Ray's: which worker takes which batch, and that a batch whose worker was lost is given to
another one. What is here:

* the files that a compilation needs are packed once; Ray brings the package once to each host, where it is unpacked
  once, into a directory whose name is the digest of its content;
* a task compiles a batch of nodes and writes the results as one Parquet file to a place that all hosts share, a
  directory or whatever `fsspec` knows by an address (`s3://...`). A file is named after its batch and complete in
  itself, so that a batch which is compiled twice does no harm;
* batches that are the last to be waited for, and take much longer than others did, are given out a second time.

Whoever asked reads the parts as they come and commits them as those of a worker beside it.
"""

from __future__ import annotations

import io
import json
import os
import tarfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any

from ..base.diagnostics import UsageError
from ..base.extras import extra
from ..base.folder import lasting_scratch_folder, private_place, settle_folder
from ..base.record import Record
from .store import needed
from .workers import LOST, Result

BATCH = 50
"""Nodes of a task: enough that starting it costs little, few enough that losing it does."""
RETRIES = 5
SLOW = 4.0
PATIENCE = 30.0
"""A batch that takes so many times as long as the median, and so many seconds, is given out once more at the end."""
LOCAL = "local"

Compile = Callable[[str, Any, Sequence[str]], list[tuple[str, Result]]]
"""Compiles nodes below a directory, by a request; it is called on other hosts, so it must be importable there."""


class Cluster(Record):
    """Where to compile: Ray's address (`local` for one on this machine), and where parts go."""

    address: str
    parts: str
    processes: int | None = None
    batch: int = BATCH


# --- files ------------------------------------------------------------------------------------------------------------


def packed(paths: Iterable[str], without: str = "") -> bytes:
    """The files and directories at relative paths, as an archive that is the same for the same content."""
    left_out = os.path.abspath(without) if without else None
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in sorted({file for path in paths for file in _files(path, left_out)}):
            member = archive.gettarinfo(name, name)
            if member is None or not (member.isfile() or member.issym()):
                continue
            member.mtime, member.uid, member.gid, member.uname, member.gname = 0, 0, 0, "", ""
            if member.isfile():
                with open(name, "rb") as file:
                    archive.addfile(member, file)
            else:
                archive.addfile(member)
    return out.getvalue()


def _files(path: str, left_out: str | None) -> Iterator[str]:
    """The files below a path; what version control keeps for itself is not needed anywhere."""
    if not os.path.isdir(path):
        yield os.path.normpath(path)
        return
    for folder, folders, names in os.walk(path):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = sorted(
            name
            for name in folders
            if name != ".git" and name not in links and os.path.abspath(os.path.join(folder, name)) != left_out
        )
        yield from (os.path.normpath(os.path.join(folder, name)) for name in (*names, *links))


def shippable(paths: Iterable[str]) -> list[str]:
    """Of the paths that a compilation needs, those that lie below this directory.  Raises `UsageError` if none does."""
    inside: list[str] = []
    for path in paths:
        name = os.path.normpath(path)
        if not os.path.isabs(name) and name.split(os.sep)[0] != os.pardir and os.path.exists(name):
            inside.append(name)
    return inside


def unpacked(archive: bytes) -> str:
    """The directory on this host with an archive's files; the first worker that needs it unpacks it completely."""
    digest = blake2b(archive, digest_size=16).hexdigest()
    place = private_place(f"wherefrom-{os.getuid()}")
    target = os.path.join(place, digest)
    if os.path.isdir(target):
        return target
    folder = lasting_scratch_folder("new-", place)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="fully_trusted")  # our own archive, by Ray's own way
    settle_folder(folder, target)
    return target


# --- parts ------------------------------------------------------------------------------------------------------------


def part_name(nodes: Sequence[str]) -> str:
    """The name of a batch's file."""
    return f"part-{blake2b(json.dumps(list(nodes)).encode(), digest_size=12).hexdigest()}.parquet"


def write_part(place: str, results: Sequence[tuple[str, Result]]) -> str:
    """Write the results of a batch, whole or not at all; the name of the file."""
    arrow, parquet = needed()
    nodes = [node for node, _ in results]
    written = [json.dumps(result, default=str).encode() for _, result in results]
    table = arrow.table({"node": arrow.array(nodes, arrow.string()), "result": arrow.array(written, arrow.binary())})
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd")
    name = part_name(nodes)
    files, path = _file_system(place)
    files.makedirs(path, exist_ok=True)
    new = f"{path}/{name}.{os.urandom(4).hex()}"
    files.pipe_file(new, out.getvalue())
    files.mv(new, f"{path}/{name}")
    return name


def read_part(place: str, name: str) -> list[tuple[str, Result]]:
    """The results of a batch."""
    _, parquet = needed()
    files, path = _file_system(place)
    table = parquet.read_table(io.BytesIO(files.cat_file(f"{path}/{name}")))
    return [(row["node"], json.loads(row["result"])) for row in table.to_pylist()]


def remove_part(place: str, name: str) -> None:
    """Remove a batch's file, if it is there."""
    files, path = _file_system(place)
    with suppress(OSError):
        files.rm_file(f"{path}/{name}")


def _file_system(place: str) -> tuple[Any, str]:
    """What an address leads to.  Raises `UsageError`."""
    with extra("ray"):
        import fsspec
    try:
        files, path = fsspec.core.url_to_fs(place)
    except (ValueError, ImportError) as problem:
        raise UsageError(f"cannot write parts to {place}: {problem}") from None
    return files, path.rstrip("/")


# --- tasks ------------------------------------------------------------------------------------------------------------


def compile_batch(archive: bytes, place: str, compile_nodes: Compile, request: object, nodes: Sequence[str]) -> str:
    """A task: compile a batch of nodes where it is sent to, and write the part; its name."""
    return write_part(place, compile_nodes(unpacked(archive), request, nodes))


def on_cluster(
    cluster: Cluster, paths: Iterable[str], store: str, compile_nodes: Compile, request: object, nodes: Sequence[str]
) -> Iterator[tuple[str, Result]]:
    """Each node with its result, in the order in which batches are done; nodes that Ray gave up on are lost.

    `paths` are shipped, without the directory `store` if it lies below one of them.
    """
    if not nodes:
        return
    with extra("ray"):
        import ray
    needed()
    _file_system(cluster.parts)
    begun_here = not ray.is_initialized()
    if begun_here:
        _start(ray, cluster)
    try:
        archive = ray.put(packed(shippable(paths), store))
        task = ray.remote(compile_batch).options(max_retries=RETRIES, name="wherefrom.compile_batch")
        batches = [tuple(nodes[start : start + cluster.batch]) for start in range(0, len(nodes), cluster.batch)]

        def give(batch: tuple[str, ...]) -> object:
            return task.remote(archive, cluster.parts, compile_nodes, request, batch)

        for batch, name in _finished(ray, batches, give):
            if name is None:
                yield from ((node, LOST) for node in batch)
                continue
            yield from read_part(cluster.parts, name)
            remove_part(cluster.parts, name)
    finally:
        if begun_here:
            ray.shutdown()


def _start(ray: Any, cluster: Cluster) -> None:
    options: dict[str, object] = {"log_to_driver": False, "logging_level": "error"}
    try:
        if cluster.address == LOCAL:
            ray.init(num_cpus=cluster.processes, include_dashboard=False, **options)
        else:
            ray.init(address=cluster.address, **options)
    except (ConnectionError, ValueError, RuntimeError) as problem:
        raise UsageError(f"cannot reach the cluster at {cluster.address}: {problem}") from None


def _finished(
    ray: Any, batches: Sequence[tuple[str, ...]], give: Callable[[tuple[str, ...]], Any]
) -> Iterator[tuple[tuple[str, ...], str | None]]:
    """Batches as they are done, each once, with the name of its part; without one if Ray gave up on it."""
    begun = {give(batch): (batch, time.monotonic()) for batch in batches}
    waiting = list(begun)
    done: set[tuple[str, ...]] = set()
    given_again: set[tuple[str, ...]] = set()
    durations: list[float] = []
    while len(done) < len(batches):
        ready, waiting = ray.wait(waiting, num_returns=1, timeout=1.0)
        now = time.monotonic()
        for reference in ready:
            batch, since = begun[reference]
            if batch in done:
                continue
            try:
                name: str | None = ray.get(reference)
            except ray.exceptions.RayTaskError as problem:
                raise UsageError(f"on the cluster: {problem.cause}") from None
            except ray.exceptions.RayError:
                name = None
                if any(begun[other][0] == batch for other in waiting):
                    continue  # its double is still at work
            done.add(batch)
            durations.append(now - since)
            yield batch, name
        if not ready and durations and len(waiting) <= max(1, len(batches) // 10):
            limit = max(PATIENCE, SLOW * sorted(durations)[len(durations) // 2])
            for reference in [reference for reference in waiting if now - begun[reference][1] > limit]:
                batch = begun[reference][0]
                if batch not in done and batch not in given_again:
                    given_again.add(batch)
                    double = give(batch)
                    begun[double] = batch, now
                    waiting.append(double)
