"""Where reports go: to standard output, or to a file that is written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple

from wrs_verify.model import Counts, Finding, RecordResult, Skipped, Verdict
from wrs_verify.report import FORMATS, Options, Renderer, Summary, Unstated, renderer
from wrs_verify.safe import terminal

__all__ = ["OutputError", "Reports", "Spec", "parse_spec", "parse_specs"]


class OutputError(Exception):
    """A report could not be written. `closed` says that nothing went wrong but the reader of standard output having left."""

    def __init__(self, message: str, *, closed: bool = False) -> None:
        super().__init__(message)
        self.closed = closed


class Spec(NamedTuple):
    """A report that is asked for. `file` None means standard output. `append` adds to the end of a file, as to a step summary."""

    format: str
    file: str | None = None
    append: bool = False


def parse_spec(text: str) -> Spec:
    """Reads `FORMAT` or `FORMAT=FILE`; `-` as FILE is standard output.

    Raises:
        ValueError: no such format, or no file after `=`. The message is for users.
    """
    name, equals, file = text.partition("=")
    if name not in FORMATS:
        raise ValueError(f"there is no report format {terminal(name)!r}; there are {', '.join(FORMATS)}")
    if equals and not file:
        raise ValueError(f"no file is named after {name}=")
    if "\0" in file:
        raise ValueError("the name of a file cannot hold a null character")
    return Spec(name, None if file in ("", "-") else file)


def parse_specs(texts: Iterable[str]) -> tuple[Spec, ...]:
    """Reads all reports that are asked for: none means text to standard output.

    Raises:
        ValueError: as `parse_spec`, or two reports would go to one place.
    """
    specs = tuple(parse_spec(text) for text in texts) or (Spec("text"),)
    places = set()
    for spec in specs:
        place = None if spec.file is None else os.path.realpath(spec.file)
        if place in places:
            where = "standard output" if spec.file is None else terminal(spec.file)
            raise ValueError(f"two reports cannot both go to {where}")
        places.add(place)
    return specs


class Reports:
    """Writes all reports of a run, each as `report.Renderer` says. A context manager: a report not finished leaves no file behind.

    One that cannot be written does not stop the others. The failure is raised when all others are finished, or as soon as there
    are no others.
    """

    def __init__(self, specs: Sequence[Spec], options: Options, stdout: BinaryIO) -> None:
        """Opens every report, so that a place that cannot be written to is known before the work is done.

        Args:
            specs: what `parse_specs` gave.
            options: for every format; colours and width are left out in files.
            stdout: standard output, which is not closed.

        Raises:
            OutputError: a report cannot be opened. Nothing is left behind.
        """
        #: The reports that cannot be, each with the reason in words. A file of that name stays as it was.
        self.unstated: list[str] = []
        self._failure: OutputError | None = None
        self._open: list[_Output] = []
        plain = options._replace(colour=False, width=None)
        for spec in specs:
            try:
                place = _Stdout(stdout) if spec.file is None else _Appended(spec.file) if spec.append else _file(spec.file)
            except OSError as error:
                self.close()
                raise _worded(spec, error) from error
            given = options if spec.file is None else plain
            if isinstance(place, _Appended):
                given = given._replace(room=given.room - place.size)
            self._open.append(_Output(spec, place, renderer(spec.format, place, given)))

    def __enter__(self) -> Reports:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def record(self, result: RecordResult) -> None:
        """Gives every report the next result.

        Raises:
            OutputError: no report is left that can be written.
        """
        for output in tuple(self._open):
            try:
                output.renderer.record(result)
                output.place.show()
            except OSError as error:
                self._failed(output, error)
        if self._failure is not None and not self._open:
            raise self._failure

    def complete(self, verdict: Verdict, counts: Counts, skipped: Iterable[Skipped], findings: Iterable[Finding], summary: Summary) -> None:
        """Completes every report, that on standard output last. Files are not in their places yet: `publish` puts them there.

        Args:
            verdict: of the whole run.
            counts: of the whole run.
            skipped: iterated once for every report, and so are the findings.
            findings: those outside the records.
            summary: what the verdict rests on.

        Raises:
            OutputError: a report could not be written, here or earlier, and the summary says that a history is extended. That is not to
                be then, so no file is published, and standard output does not tell of a history.
        """
        extending = summary.history is not None and summary.history.added is not None
        for output in sorted(self._open, key=lambda output: output.spec.file is None):
            try:
                said = summary._replace(history=None) if extending and self._failure else summary
                output.renderer.finish(verdict, counts, skipped, findings, said)
                output.place.complete()
            except Unstated as why:
                self._open.remove(output)
                output.discard()
                self.unstated.append(f"there is no {output.spec.format} report: {why}")
            except OSError as error:
                self._failed(output, error)
        if extending and self._failure is not None:
            raise OutputError(f"{self._failure}; the history was not extended, and is as it was")

    def publish(self) -> None:
        """Puts the files of all reports that are complete in their places.

        Raises:
            OutputError: a report could not be written, here or earlier.
        """
        for output in tuple(self._open):
            try:
                output.place.publish()
            except OSError as error:
                self._failed(output, error)
        self.close()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Throws away what is not finished. May be called twice."""
        while self._open:
            self._open.pop().discard()

    def _failed(self, output: _Output, error: OSError) -> None:
        self._open.remove(output)
        output.discard()
        # A real failure is told rather than a reader that has left.
        if self._failure is None or self._failure.closed:
            self._failure = _worded(output.spec, error)


class _Place:
    """Where one report goes: here a pipe or a device, which is written to directly. Every method but the last may raise `OSError`."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes, /) -> None:
        self._stream.write(data)

    def show(self) -> None:
        """Lets somebody who waits see what was written so far."""

    def complete(self) -> None:
        """Everything is written."""
        self._stream.close()

    def publish(self) -> None:
        """Puts the report where it was asked for."""

    def discard(self) -> None:
        """Leaves nothing behind that is not published."""
        with contextlib.suppress(OSError):
            self._stream.close()


class _Output(NamedTuple):
    spec: Spec
    place: _Place
    renderer: Renderer

    def discard(self) -> None:
        self.renderer.close()
        self.place.discard()


class _Stdout(_Place):
    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self._terminal = stream.isatty()

    def write(self, data: bytes, /) -> None:
        try:
            self._stream.write(data)
        except OSError:
            self._silence()
            raise

    def show(self) -> None:
        if self._terminal:
            self.complete()

    def complete(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            self._silence()
            raise

    def discard(self) -> None:
        """Standard output is not ours to close."""

    def _silence(self) -> None:
        """What is left in the buffer would fail again, with a traceback, when Python flushes it at its end."""
        with contextlib.suppress(OSError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            with contextlib.suppress(OSError):
                os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


class _WholeFile(_Place):
    """A new file under a name that nobody can guess, which takes the place of the real one when it is complete."""

    def __init__(self, path: Path, mode: int | None) -> None:
        self._path = path
        self._mode = mode
        self._temporary = path.with_name(f".wrs-verify-{secrets.token_hex(8)}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        super().__init__(os.fdopen(os.open(self._temporary, flags, 0o666), "wb"))

    def complete(self) -> None:
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()
        if self._mode is not None:
            self._temporary.chmod(self._mode)

    def publish(self) -> None:
        self._temporary.replace(self._path)

    def discard(self) -> None:
        super().discard()
        with contextlib.suppress(OSError):
            self._temporary.unlink()


class _Appended(_Place):
    """The end of a file that others write to as well. Nothing is written before the report is complete."""

    def __init__(self, name: str) -> None:
        self._file = Path(name).open("ab")  # noqa: SIM115 (see discard)
        self.size = self._file.seek(0, os.SEEK_END)
        super().__init__(io.BytesIO())

    def complete(self) -> None:
        """It stays in memory until all reports are complete."""

    def publish(self) -> None:
        self._stream.seek(0)
        self._file.write(self._stream.read())
        self._file.close()

    def discard(self) -> None:
        super().discard()
        with contextlib.suppress(OSError):
            self._file.close()


def _file(name: str) -> _Place:
    """Opens a file for a report. A symbolic link is followed: the file that it points to is replaced, and the link stays.

    An existing file keeps its permissions, and has to be writable though it is replaced; a new one gets those of the umask.

    Raises:
        OSError: the file, or its directory, cannot be written to.
    """
    try:
        existing = Path(name).stat()
    except FileNotFoundError:
        return _WholeFile(Path(os.path.realpath(name)), None)
    if stat.S_ISDIR(existing.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(existing.st_mode):
        return _Place(Path(name).open("wb"))
    if not os.access(name, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return _WholeFile(Path(os.path.realpath(name)), existing.st_mode & 0o777)


def replace_file(name: str, data: bytes) -> None:
    """Writes a file whole or not at all, in place of the one that is there; it keeps that one's permissions.

    Raises:
        OutputError: it cannot be written; it is as it was.
    """
    try:
        place = _file(name)
        try:
            place.write(data)
            place.complete()
            place.publish()
        finally:
            place.discard()
    except OSError as error:
        raise OutputError(f"cannot write to {terminal(name)}: {error.strerror or error}") from error


def _worded(spec: Spec, error: OSError) -> OutputError:
    where = "standard output" if spec.file is None else terminal(spec.file)
    closed = spec.file is None and isinstance(error, BrokenPipeError)
    return OutputError(f"cannot write the {spec.format} report to {where}: {error.strerror or error}", closed=closed)
