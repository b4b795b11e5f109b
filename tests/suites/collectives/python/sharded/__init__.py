"""Collectives, layouts and sharded operators that the tests of this suite exercise.

Importing it has no effect on anything: no process group, no thread, no socket, no change of torch's state.
"""
