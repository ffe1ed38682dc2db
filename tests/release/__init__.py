"""How a release is made, and one that was made, tried where nothing of it is yet."""
