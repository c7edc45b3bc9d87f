"""What the values of metrics say of their roles, where names say little, nothing or the wrong thing."""
