"""Bytes of a file: opened, unpacked, streamed, protobuf walked."""
