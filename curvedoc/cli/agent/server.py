"""`curvedoc mcp`: the tools over the Model Context Protocol, on standard input and output."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from curvedoc.cli.agent.places import Roots
from curvedoc.cli.agent.tools import Tools
from curvedoc.core.errors import CurvedocError, UsageError
from curvedoc.core.version import __version__

_TOOLS = ("analyze", "triage", "explain", "diff", "facts")
_ABOUT = (
    "Offline diagnosis of machine-learning training runs from their logs. Begin with analyze on a run's folder or log "
    "file (triage for a folder of many), act on next_action, read explain on a symptom or cause that is not clear."
)


def serve(folders: Sequence[Path]) -> None:
    """Answer a client until it leaves. Raises UsageError without the SDK or for a root that is no folder."""
    made = server(Roots.of(folders))
    made.run("stdio")


def server(roots: Roots) -> Any:
    """The server with its tools. Raises UsageError where the SDK is not installed."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as e:
        raise UsageError("the SDK of the Model Context Protocol is missing", hint="pip install 'curvedoc[mcp]'") from e
    made = MCPServer("curvedoc", instructions=_ABOUT, version=__version__, log_level="WARNING")
    tools = Tools(roots)
    for name in _TOOLS:
        made.tool(name=name)(_told(getattr(tools, name), ToolError))
    return made


def _told(tool: Callable[..., Any], refusal: type[Exception]) -> Callable[..., Any]:
    """The tool with its errors for the user in the form whose text reaches the client."""

    @functools.wraps(tool)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return tool(*args, **named)
        except CurvedocError as error:
            raise refusal(str(error)) from error

    return call
