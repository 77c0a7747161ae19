"""What the calls cost, measured beside other clients."""
