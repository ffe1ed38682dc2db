"""YAML as the JVM's reader and editors take it: by the core schema of YAML 1.2, with texts as keys."""

import re
from typing import Any

import yaml

_TYPES = {
    "null": (r"(?:~|null|Null|NULL|)", "~nN\0"),
    "bool": (r"(?:true|True|TRUE|false|False|FALSE)", "tTfF"),
    "int": (r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)", "-+0123456789"),
    "float": (r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)", "-+.0123456789"),
}


class _Core(yaml.SafeLoader):
    """Only its own types are known, so `yes` and a time are text."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own way

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT002
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}

    def whole(self, node: yaml.ScalarNode) -> int:
        digits = node.value
        return int(digits, 0) if digits[:2] in ("0x", "0o") else int(digits)


for _name, (_pattern, _first) in _TYPES.items():
    _firsts = ["" if char == "\0" else char for char in _first]
    _Core.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"^{_pattern}$"), _firsts)
_Core.add_constructor("tag:yaml.org,2002:int", _Core.whole)


def load(text: str) -> Any:
    """What the text means."""
    return yaml.load(text, _Core)  # noqa: S506 - a safe loader
