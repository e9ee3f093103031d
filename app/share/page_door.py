"""Admission to the page: its address with a token, the headers of a browser, and the rate of requests. No Qt."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # none is taken for another one when it is typed
_TOKEN_LETTERS = 20
BURST_REQUESTS = 40.0
"""Requests that one address may send at once."""

REQUESTS_PER_SECOND = 2.0
"""Requests that one address may send over a longer time."""

WRONG_TOKEN_COST = 8.0
"""Requests that one with a wrong token counts as."""

MOST_ADDRESSES = 4_096


def new_token() -> str:
    """Return a token of a hundred random bits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_TOKEN_LETTERS))


@dataclass(frozen=True, slots=True)
class Request:
    """The part of a request that matters here; names of headers are lower-case."""

    method: str
    target: str
    headers: Mapping[str, str]


class Door:
    """Decides about requests to one page.

    Attributes:
        host: the only value of the header Host that is accepted, which names the page's address.
        token: what the path has to begin with.
    """

    def __init__(self, host: str, token: str, clock: Callable[[], float]) -> None:
        self.host = host
        self.token = token
        self._clock = clock
        self._spent: dict[str, tuple[float, float]] = {}  # by address: requests that count, and when

    @property
    def url(self) -> str:
        return f"http://{self.host}/{self.token}/"

    def check(self, request: Request, address: str) -> tuple[HTTPStatus, str]:
        """Return whether a request may be answered, as a status, and the path behind the token."""
        if not self._spend(address, 1.0):
            return HTTPStatus.TOO_MANY_REQUESTS, ""
        if request.headers.get("host") != self.host:  # another name, by which a page elsewhere could reach this one
            return HTTPStatus.MISDIRECTED_REQUEST, ""
        if request.headers.get("origin", self._origin) != self._origin:
            return HTTPStatus.FORBIDDEN, ""
        if request.method not in ("GET", "HEAD"):
            return HTTPStatus.METHOD_NOT_ALLOWED, ""
        token, _, path = request.target.removeprefix("/").partition("?")[0].partition("/")
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            self._spend(address, WRONG_TOKEN_COST)
            return HTTPStatus.NOT_FOUND, ""
        return HTTPStatus.OK, path

    @property
    def _origin(self) -> str:
        return f"http://{self.host}"

    def _spend(self, address: str, cost: float) -> bool:
        """Count a request of an address; return whether it is within the limits."""
        now = self._clock()
        spent, then = self._spent.pop(address, (0.0, now))
        spent = max(spent - (now - then) * REQUESTS_PER_SECOND, 0.0)
        may = spent + 1.0 <= BURST_REQUESTS
        self._spent[address] = min(spent + cost, BURST_REQUESTS), now
        if len(self._spent) > MOST_ADDRESSES:
            del self._spent[next(iter(self._spent))]
        return may
