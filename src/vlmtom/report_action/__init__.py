"""Whether asking what a director sees changes what is chosen: report before action."""
