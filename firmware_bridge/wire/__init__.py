"""The wire protocol: messages, frames, the sliding window and the link to a board."""
