"""Options from the command line, the environment and configuration files."""
