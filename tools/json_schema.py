"""JSON against the schemas that tare prints, as strict as a test wants it: a key that the schema does not name is a fault."""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(v, name):
    if name in ("integer", "number"):
        return isinstance(v, int if name == "integer" else (int, float)) and not isinstance(v, bool)
    return isinstance(v, TYPES[name])


def faults(v, schema, at="$"):
    """What is wrong with v, a line each: "$.rows[3].cost: ..."."""
    if "const" in schema and v != schema["const"]:
        return [f"{at}: {v!r} is not {schema['const']!r}"]
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(is_type(v, k) for k in kinds):
        return [f"{at}: {str(v)[:40]!r} is not {' or '.join(kinds)}"]
    if isinstance(v, str) and "pattern" in schema and not re.search(schema["pattern"], v):
        return [f"{at}: {v!r} is not {schema['pattern']}"]
    out = []
    if "anyOf" in schema:
        shapes = [faults(v, s, at) for s in schema["anyOf"]]
        out += min(shapes, key=len)
    if isinstance(v, list) and "items" in schema:
        for i, item in enumerate(v):
            out += faults(item, schema["items"], f"{at}[{i}]")
    if isinstance(v, dict) and ("properties" in schema or "additionalProperties" in schema):
        known = dict(schema.get("properties", {}))
        if "additionalProperties" in schema:
            known = {**dict.fromkeys(v, schema["additionalProperties"]), **known}
        out += [f"{at}.{k}: the schema does not know it" for k in v if k not in known]
        out += [f"{at}.{k}: missing" for k in schema.get("required", []) if k not in v]
        for k in v.keys() & known.keys():
            out += faults(v[k], known[k], f"{at}.{k}")
    return out
