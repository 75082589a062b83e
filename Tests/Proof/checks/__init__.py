"""What the parts `terminal` and `environment` are made of."""
