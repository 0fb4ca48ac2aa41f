"""Lying boards: virtual boards that speak the protocol soundly and send wrong contents."""
