"""From a provider's reply to a turn: what was thought, what was answered, and the block at the answer's end.

`reader` finds whose reply it is, and a file in `providers` reads it into a `ParsedReply`, with thinking and answer told
apart. `streams` does this for a reply that comes in pieces. `block` finds the coglog block, and `captured` makes a turn
of all of it. No provider's library is imported: an object is known by its attributes, a dict or JSON text by its keys.
"""
