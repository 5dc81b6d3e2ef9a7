"""The real PuppetDB, started from its Debian packages as ordinary processes: no service, nothing that stays.

PostgreSQL (which refuses to be root) has a folder of its own and listens on this machine alone. PuppetDB is a Java
program whose packages name their libraries by absolute paths. Where the packages are not installed but were unpacked
below a directory, `WHEREFROM_PUPPETDB` names that directory. It takes half a minute of the processor to start, and half
a gigabyte.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

PREFIX = Path(os.environ.get("WHEREFROM_PUPPETDB", "/"))
JAR = PREFIX / "usr/share/puppetdb/puppetdb.jar"
MOST_SECONDS = 240
"""Processor time in which it has to start: it takes 40 s, and on a busy machine any number of minutes."""


def postgresql() -> Path | None:
    """Where PostgreSQL's programs lie."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else None


def is_installed() -> bool:
    """Whether there is everything that it takes."""
    return JAR.exists() and postgresql() is not None and shutil.which("java") is not None


def class_path() -> str:
    """The libraries that PuppetDB's manifest names, theirs, and so on."""
    waiting, seen = [JAR], {JAR: None}
    while waiting:
        jar = waiting.pop()
        for name in _named(jar):
            path = name if name.is_absolute() else jar.parent / name
            found = next((place for place in _places(path) if place.exists()), None)
            if found is not None and found not in seen:
                seen[found] = None
                waiting.append(found)
    return ":".join(map(str, seen))


def _places(path: Path) -> list[Path]:
    below = PREFIX / path.relative_to("/") if path.is_absolute() else path
    places = [below, path]
    if path.name == "clojure.jar":  # a link that installing would make
        places += [place.with_name("clojure-1.11.jar") for place in (below, path)]
    return places


def _named(jar: Path) -> list[Path]:
    try:
        with zipfile.ZipFile(jar) as archive:
            manifest = archive.read("META-INF/MANIFEST.MF").decode()
    except (OSError, KeyError, zipfile.BadZipFile):
        return []
    text = manifest.replace("\r\n", "\n").replace("\n ", "")
    line = next((line for line in text.split("\n") if line.startswith("Class-Path:")), "Class-Path:")
    return [Path(name.removeprefix("file:")) for name in line.partition(":")[2].split()]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _processor_seconds(process: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class RealPuppetDB:
    """PuppetDB and its database in a folder, from `start` to `stop`.  `tls`: the server's `ca`, `cert` and `key`."""

    def __init__(self, folder: Path, tls: dict[str, Path]) -> None:
        self.folder = folder
        self.tls = tls
        self.port, self.secure_port, self._database_port = free_port(), free_port(), free_port()
        self._java: subprocess.Popen[bytes] | None = None
        self._user = "postgres" if os.getuid() == 0 else None
        self._data = Path(tempfile.mkdtemp(prefix="wherefrom-postgresql-"))
        """Not in the folder: pytest closes what is above that to other users, whenever somebody runs it."""

    @property
    def url(self) -> str:
        """Its address, in the clear."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def secure_url(self) -> str:
        """Its address, with certificates."""
        return f"https://localhost:{self.secure_port}"

    def start(self) -> None:
        """Start both and wait until they answer."""
        self._start_database()
        self._configure()
        command = [
            "java",
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            class_path(),
            "clojure.main",
        ]
        command += ["-m", "puppetlabs.puppetdb.core", "services", "--config", str(self.folder / "conf.d")]
        command += ["--bootstrap-config", str(PREFIX / "etc/puppetdb/bootstrap.cfg")]
        with (self.folder / "puppetdb.log").open("wb") as log:
            self._java = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        while self._java.poll() is None and _processor_seconds(self._java.pid) < MOST_SECONDS:
            try:
                with urllib.request.urlopen(f"{self.url}/status/v1/simple", timeout=5) as answer:
                    if answer.read() == b"running":
                        return
            except (OSError, urllib.error.URLError):
                pass
            time.sleep(0.5)
        raise RuntimeError((self.folder / "puppetdb.log").read_text(errors="replace")[-4000:])

    def stop(self) -> None:
        """End both."""
        if self._java is not None and self._java.poll() is None:
            os.killpg(self._java.pid, signal.SIGTERM)
            try:
                self._java.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self._java.pid, signal.SIGKILL)
                self._java.wait()
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "stop", check=False)
        shutil.rmtree(self._data, ignore_errors=True)

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        place = postgresql()
        assert place is not None
        account = {"user": self._user, "group": self._user, "extra_groups": []} if self._user else {}
        with (self.folder / "postgresql.log").open("ab") as log:
            subprocess.run(  # type: ignore[call-overload]
                [str(place / program), *arguments], check=check, cwd="/", stdout=log, stderr=log, timeout=120, **account
            )

    def _start_database(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        data = self._data
        if self._user is not None:
            owner = pwd.getpwnam(self._user)
            os.chown(data, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "-D", str(data), "-U", "puppetdb", "--auth=trust", "-E", "UTF8", "--locale=C")
        options = f"-c listen_addresses=127.0.0.1 -p {self._database_port} -c unix_socket_directories={data}"
        options += " -c fsync=off"
        self._run("pg_ctl", "-D", str(data), "-w", "-o", options, "-l", str(data / "log"), "start")
        reach = ("-h", "127.0.0.1", "-p", str(self._database_port), "-U", "puppetdb")
        self._run("createdb", *reach, "puppetdb")
        self._run("psql", *reach, "-d", "puppetdb", "-c", "create extension pg_trgm")

    def _configure(self) -> None:
        conf = self.folder / "conf.d"
        conf.mkdir()
        shutil.copy(PREFIX / "etc/puppetdb/conf.d/auth.conf", conf / "auth.conf")
        (conf / "database.ini").write_text(
            f"[database]\nsubname = //127.0.0.1:{self._database_port}/puppetdb\nusername = puppetdb\npassword = any\n"
            "gc-interval = 0\nmaximum-pool-size = 5\n"
        )
        (conf / "jetty.ini").write_text(
            f"[jetty]\nhost = 127.0.0.1\nport = {self.port}\nssl-host = 127.0.0.1\nssl-port = {self.secure_port}\n"
            f"ssl-key = {self.tls['key']}\nssl-cert = {self.tls['cert']}\nssl-ca-cert = {self.tls['ca']}\n"
        )
        (conf / "config.ini").write_text(
            f"[global]\nvardir = {self.folder / 'var'}\n\n[puppetdb]\ndisable-update-checking = true\n"
        )
        (self.folder / "var").mkdir()
