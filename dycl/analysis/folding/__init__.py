"""What is known without the data: constants, and what an op makes of them."""
