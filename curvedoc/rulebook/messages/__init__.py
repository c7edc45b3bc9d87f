"""What programs say when something ends: message templates, grouped by what they mean."""
