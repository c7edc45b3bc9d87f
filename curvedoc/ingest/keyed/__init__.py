"""Values under numbered keys, and JSON that names its columns apart from their values."""
