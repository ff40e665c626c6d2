"""What is learned outside the labelled data: word vectors."""
