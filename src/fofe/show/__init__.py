"""Pictures: mentions in HTML, redacted text, and reports that are pages of their own."""
