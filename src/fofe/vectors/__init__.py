"""Training, aligning and inspecting word vectors."""
