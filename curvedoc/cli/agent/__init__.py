"""curvedoc in the hands of a program: tools over the Model Context Protocol."""
