"""What the parts of the proof share: rows, throw-away vaults, faults, agents."""
