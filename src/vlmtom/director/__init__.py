"""The Keysar Director Task: does the model act from another viewer's visual access?

Source: cross-task paper, section 3.1 and Appendices B to D.
"""
