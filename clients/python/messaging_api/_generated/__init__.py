"""The generated half of the library."""
