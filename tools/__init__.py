"""What looks after the project itself: nothing here is installed."""
