"""False messages: virtual boards that keep the rules of the link and send wrong contents."""
