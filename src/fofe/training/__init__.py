"""Training: sampling of fragments, batches, schedules, checkpoints."""
