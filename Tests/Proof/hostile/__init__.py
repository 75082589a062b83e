"""Files, lists and frames of strangers: how they are made, what has to be said of them, and what judges them."""
