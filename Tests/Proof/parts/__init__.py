"""One file for each part; each has `run(context)`, which gives rows, and says how its checks were seen failing."""
