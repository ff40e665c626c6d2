"""An HTTP server for one or several models: an API for programs and a page for people."""
