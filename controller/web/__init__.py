"""What browsers and programs reach: the API, the panel and the metrics."""
