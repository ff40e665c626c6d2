"""Wikipedia as a source of weak labels: dumps, their markup, the types of pages, and labelled text."""
