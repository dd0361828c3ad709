"""The packed static embedding model: reading it, and what builds it."""
