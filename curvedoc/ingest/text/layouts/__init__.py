"""Tables, boxes and notices that a text log prints over several lines."""
