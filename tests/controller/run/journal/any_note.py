"""Generates journal notes of every class, as a strategy for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from controller.run.journal.notes import (
    ChainAt,
    ChainLost,
    ChoicesDrawn,
    CountedFrom,
    FacesFallen,
    Flipped,
    KeyPresses,
    LaneFilled,
    MovesMade,
    Note,
    PlayerShareAdded,
    PushDoubted,
    PushProven,
    ShakesBefore,
    ShareCommitted,
    TagRead,
    TileFree,
    TilesSurplus,
    TileSticks,
)

counts = st.integers(min_value=0)
hashes = st.binary(min_size=32, max_size=32).map(bytes.hex)

NOTES: st.SearchStrategy[Note] = st.one_of(
    st.builds(MovesMade, counts),
    st.builds(Flipped),
    st.builds(KeyPresses, counts),
    st.builds(ShakesBefore, counts),
    st.builds(FacesFallen, st.lists(counts).map(tuple), st.none() | counts),
    st.builds(TagRead, st.none() | counts),
    st.builds(CountedFrom.of, st.dictionaries(st.text(), st.integers(), max_size=4)),
    st.builds(TileSticks, st.text(), counts, st.booleans()),
    st.builds(TileFree, st.text()),
    st.builds(PushDoubted, st.text(), st.text()),
    st.builds(PushProven, st.text()),
    st.builds(LaneFilled, counts),
    st.builds(TilesSurplus, st.text(), counts),
    st.builds(ChainAt, counts, counts),
    st.builds(ChainLost),
    st.builds(ShareCommitted, st.text(), hashes, hashes),
    st.builds(PlayerShareAdded, counts, st.text()),
    st.builds(ChoicesDrawn, hashes),
)
