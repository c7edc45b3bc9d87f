"""Views for machines: JSON, SARIF, JUnit, tables."""
