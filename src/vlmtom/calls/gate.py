"""When the next request may be sent to an endpoint."""

from dataclasses import replace

from vlmtom.calls.leases import LONGEST_S, Ledger, OwnLedger

MINUTE_S = 60.0
BURST_S = 1.0  # so much of an unused rate may be made up for at once
_OF_AVERAGE = 0.1  # weight of the newest reply in the tokens expected of the next


class Gate:
    """What an endpoint allows at the moment: pause, requests and tokens per minute.

    With a shared ledger, all jobs of the machine keep to them together. A request reserves the
    tokens that the replies before it took on average, and is put right by what it took. Nothing
    but this gate and the number in flight decides whether a request is sent.
    """

    def __init__(
        self,
        ledger: Ledger | None = None,
        rpm: float | None = None,
        tpm: float | None = None,
        expected_tokens: float = 1000.0,
    ) -> None:
        self._ledger: Ledger = ledger or OwnLedger()
        self._rpm, self._tpm = rpm, tpm
        self._expected = expected_tokens

    def wait_s(self, now: float) -> float:
        """Seconds until a request may be sent; 0 if it may be sent now. now: a monotonic time."""
        lease = self._ledger.read(now)
        return max(
            0.0,
            lease.paused_until - now,
            lease.requests_free_at - now if self._rpm else 0.0,
            lease.tokens_free_at - now if self._tpm else 0.0,
        )

    def paused_s(self, now: float) -> float:
        """Seconds that a pause still lasts, whatever the rates say."""
        return max(0.0, self._ledger.read(now).paused_until - now)

    def take(self, now: float) -> float:
        """Take leave to send one request: 0 with it, else seconds until asking again helps."""
        if not (self._rpm or self._tpm):
            return self.wait_s(now)
        with self._ledger.locked():
            if wait := self.wait_s(now):
                return wait
            lease = self._ledger.read(now)
            if self._rpm:
                free_at = max(lease.requests_free_at, now - BURST_S) + MINUTE_S / self._rpm
                lease = replace(lease, requests_free_at=free_at)
            if self._tpm:
                lasts_s = self._expected * MINUTE_S / self._tpm
                free_at = max(lease.tokens_free_at, now - BURST_S) + lasts_s
                lease = replace(lease, tokens_free_at=free_at)
            self._ledger.write(lease, now)
        return 0.0

    @property
    def expected_tokens(self) -> float:
        """What `take` reserves at the moment; `took` is given it back."""
        return self._expected

    def took(self, now: float, tokens: int, reserved: float) -> None:
        """Put a reservation right by what the reply reports."""
        self._expected += _OF_AVERAGE * (tokens - self._expected)
        if not self._tpm:
            return
        with self._ledger.locked():
            lease = self._ledger.read(now)
            free_at = lease.tokens_free_at + (tokens - reserved) * MINUTE_S / self._tpm
            self._ledger.write(replace(lease, tokens_free_at=free_at), now)

    def pause(self, now: float, seconds: float) -> None:
        """Send nothing for so long. A shorter pause never ends a longer one."""
        until = now + min(seconds, LONGEST_S)
        with self._ledger.locked():
            lease = self._ledger.read(now)
            if lease.paused_until < until:
                self._ledger.write(replace(lease, paused_until=until), now)
