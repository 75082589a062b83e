"""The vectors, one module for each area. A scenario states the class that its file has to give."""
