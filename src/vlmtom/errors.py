"""The errors that users meet: what was expected, what was found, where, and what to do."""


class VlmtomError(Exception):
    """Base of every error that the command line prints without a traceback."""


class BadConfig(VlmtomError):
    """The configuration or the model registry cannot be used."""


class BadData(VlmtomError):
    """A file's rows or columns are not what its schema declares."""


class FileExists(VlmtomError):
    """A create-only write met a file of that name."""


class StreamBusy(VlmtomError):
    """Another process writes this journal stream."""


class BrokenJournal(VlmtomError):
    """A journal's hash chain does not hold."""


class LockMismatch(VlmtomError):
    """An instrument (prompt, stimulus, threshold) is not the one that was locked."""


class MissingReplies(VlmtomError):
    """Some requests have no usable reply, and the configuration does not allow that."""


class NoReply(VlmtomError):
    """A model that was tried answered nothing at all."""


class WallBroken(VlmtomError):
    """A process tried to reach a file on the other side of a firewall."""


class NotBundled(VlmtomError):
    """A run that is not whole, or not as it was left, was to be packed."""


class SecretInside(VlmtomError):
    """A file that was to be packed holds what looks like a key."""
