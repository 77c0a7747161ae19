"""A Slurm of one node on this machine: real daemons of the distribution's packages, on loopback.

No systemd, no cgroups, no accounts. Needs root, because slurmd starts jobs as the user who submits.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo", "scancel")
SYSTEM_CONF = Path("/etc/slurm/slurm.conf")

CONF = """\
ClusterName=loopback
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={home}/munge/socket
CredType=cred/munge
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool
SlurmctldPidFile={home}/run/slurmctld.pid
SlurmdPidFile={home}/run/slurmd.pid
SlurmctldLogFile={home}/log/slurmctld.log
SlurmdLogFile={home}/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
SlurmdParameters=config_overrides
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
MinJobAge=300
KillWait=5
InactiveLimit=0
NodeName=localhost NodeAddr=127.0.0.1 CPUs=4 RealMemory=16000 State=UNKNOWN
PartitionName=main Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str | None:
    """Why no Slurm can run here; None if it can."""
    if os.geteuid() != 0:
        return "Slurm: not root, so that slurmd could start no job"
    absent = [name for name in NEEDED if shutil.which(name) is None]
    if absent:
        packages = "slurmctld slurmd slurm-client munge"
        return f"Slurm: {', '.join(absent)} not found; apt-get install {packages}"
    if SYSTEM_CONF.exists() and not _left_over():
        return f"Slurm: {SYSTEM_CONF} belongs to another Slurm of this machine"
    return None


def _left_over() -> bool:
    """Whether the configuration is that of a test which was killed, and whose daemons are gone."""
    if not SYSTEM_CONF.is_symlink():
        return False
    try:
        process = int((SYSTEM_CONF.resolve().parent / "run" / "slurmctld.pid").read_text())
        os.kill(process, 0)
    except (FileNotFoundError, ValueError, ProcessLookupError):
        return True
    return False


class Slurm:
    """The daemons, as a context manager. environment: what commands need to reach them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {"SLURM_CONF": str(home / "slurm.conf")}

    def __enter__(self) -> "Slurm":
        for name in ("state", "spool", "log", "munge", "run"):
            (self.home / name).mkdir(parents=True)
        for parent in (self.home, *(self.home / name for name in ("log", "munge", "run"))):
            parent.chmod(0o755)  # munged refuses what others may write
        conf = self.home / "slurm.conf"
        conf.write_text(CONF.format(home=self.home, ports=_free_ports(2)))
        # A step that the plugin starts has lost SLURM_CONF: the usual place must lead there too.
        SYSTEM_CONF.parent.mkdir(parents=True, exist_ok=True)
        SYSTEM_CONF.unlink(missing_ok=True)
        SYSTEM_CONF.symlink_to(conf)
        key = self.home / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        munge = self.home / "munge"
        try:
            self._run(
                *("munged", "--force", "--key-file", key, "--socket", munge / "socket"),
                *("--pid-file", self.home / "run" / "munged.pid"),
                *("--seed-file", munge / "seed", "--log-file", self.home / "log" / "munged.log"),
            )
            self._run("slurmctld", "-f", conf, "-c")
            self._run("slurmd", "-f", conf, "-N", "localhost")
            self._wait_until_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["scancel", "--me"], env=self._environment(), check=False, timeout=30)
        for name in ("slurmd", "slurmctld", "munged"):
            self._stop(self.home / "run" / f"{name}.pid")
        SYSTEM_CONF.unlink(missing_ok=True)

    def jobs(self, state: str = "RUNNING") -> dict[str, str]:
        """Names by number of the jobs in a state."""
        lines = self._run("squeue", "--noheader", "--format=%i %j %k", f"--states={state}")
        return {line.split()[0]: line.partition(" ")[2] for line in lines.splitlines()}

    def cancel(self, number: str) -> None:
        """Cancel a job."""
        self._run("scancel", number)

    def _wait_until_up(self) -> None:
        deadline = time.monotonic() + 60
        while not self._run("sinfo", "--noheader", "--format=%T").startswith(("idle", "mixed")):
            if time.monotonic() > deadline:
                raise RuntimeError((self.home / "log" / "slurmctld.log").read_text()[-2000:])
            time.sleep(0.2)

    def _run(self, *command: object) -> str:
        done = subprocess.run(
            [str(word) for word in command],
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stderr}")
        return done.stdout

    def _environment(self) -> dict[str, str]:
        return os.environ | self.environment

    def _stop(self, file: Path) -> None:
        try:
            process = int(file.read_text())
            os.kill(process, signal.SIGTERM)
        except (FileNotFoundError, ValueError, ProcessLookupError):
            return
        for _ in range(50):
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                return
            time.sleep(0.1)
        os.kill(process, signal.SIGKILL)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
