"""Animated triangles: what does a model see in two moving shapes: motion, actions, or minds?

Source: cross-task paper, section 4; the clips' genre is that of Abell, Happé and Frith (2000).
"""
