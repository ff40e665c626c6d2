"""What is learned outside the labelled data: word vectors, and the names of gazetteers."""
