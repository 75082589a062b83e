"""What the scenarios are made of. Shares no code with Tests/Audit: that reads, this only writes."""
