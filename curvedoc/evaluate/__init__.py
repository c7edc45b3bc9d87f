"""Accuracy on labeled runs: labels read, runs diagnosed, outcomes judged and counted. Stands above the api."""
