"""The report of the shuffle laboratory: plain values for JSON, and one HTML file with plots."""
