"""What a stack file may say: read once, validated once, every mistake reported at once."""
