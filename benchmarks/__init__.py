"""Speed against ourselves and quality against peers: scripts to run, not part of the package."""
