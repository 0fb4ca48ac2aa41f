"""The mechanics below the lid: drum, heads with belt and pusher, chain, hand lanes, and trays."""
