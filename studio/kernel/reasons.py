"""Why the system refused a file, in the user's language."""

from __future__ import annotations

import errno

from studio.i18n import tr


def system_reason(error: OSError) -> str:
    """Say why a file could not be used, in the user's language where the reason is a common one."""
    match error.errno:
        case errno.ENOENT:
            return tr("there is no such file or folder")
        case errno.EACCES | errno.EPERM:
            return tr("access is not allowed")
        case errno.EISDIR:
            return tr("is a folder")
        case errno.ENOSPC:
            return tr("the disk is full")
        case errno.ENAMETOOLONG:
            return tr("the name is too long")
        case errno.EIO:
            return tr("the disk reports an error")
    return error.strerror or str(error)
