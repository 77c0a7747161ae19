"""When the next request may be sent to an endpoint."""


class Gate:
    """What an endpoint allows at the moment, in this process.

    A limit that changes with success, a budget, and a pause shared with other processes are
    further answers to `wait_s`; nothing else decides whether a request is sent.
    """

    def __init__(self) -> None:
        self._closed_until = 0.0

    def wait_s(self, now: float) -> float:
        """Seconds until a request may be sent; 0 if it may be sent now. now: a monotonic time."""
        return max(0.0, self._closed_until - now)

    def pause(self, now: float, seconds: float) -> None:
        """Send nothing for so long. A shorter pause never ends a longer one."""
        self._closed_until = max(self._closed_until, now + seconds)
