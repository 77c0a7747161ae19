"""Report before action: does asking what a director sees change what is then chosen?

Source: report-before-action paper. Statistics: stats/paired.py.
"""
