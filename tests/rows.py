"""The columns of a row, as users read about them."""

# Name and type, in their order. docs/reference/rows.md shows the same, and a real read is compared with them.
COLUMNS = [
    ("key", "binary"),
    ("value", "binary"),
    ("topic", "string"),
    ("partition", "int"),
    ("offset", "bigint"),
    ("timestamp", "timestamp"),
    ("timestampType", "int"),
    ("headers", "array<struct<key:string,value:binary>>"),
    ("cluster", "string"),
    ("stream", "string"),
]
