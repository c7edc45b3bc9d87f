"""How a credential is known: by the word that names it, and by the shape of the value."""
