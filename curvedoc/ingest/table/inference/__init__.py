"""Tables of unknown columns: their structure by the values, and whether they are logs."""
