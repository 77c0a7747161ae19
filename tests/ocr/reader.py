"""Reads the corner of each cell of a sheet with RapidOCR; run by the Python that has it.

Arguments: PNG files of 4 by 4 cells. Prints a JSON list a file, of sixteen texts in the order of
the cells; a corner in which nothing is read is "".

A badge is a disc of 26 pixels, which is small for a reader of lines of text, and to it a digit in a
circle is a character of its own (②). So the square inside the disc is cut out and made four times
larger, in every cell of every sheet, whether a badge is there or not. Texts below the score at
which RapidOCR by itself drops them count as not read.
"""

import json
import sys

import cv2
from rapidocr_onnxruntime import RapidOCR

CELLS, LARGER = 4, 4
INSIDE = slice(6, 24), slice(4, 26)  # rows and columns of a cell
LEAST_SCORE = 0.5  # its own text_score, which it applies only where it also looks for lines


def read_corners(reader: RapidOCR, path: str) -> list[str]:
    """The text in each cell's corner."""
    sheet = cv2.imread(path)
    height, width = sheet.shape[0] // CELLS, sheet.shape[1] // CELLS
    texts = []
    for place in range(CELLS * CELLS):
        top, left = place // CELLS * height, place % CELLS * width
        corner = sheet[top : top + height, left : left + width][INSIDE]
        large = cv2.resize(corner, None, fx=LARGER, fy=LARGER, interpolation=cv2.INTER_CUBIC)
        found, _ = reader(large, use_det=False, use_cls=False, use_rec=True)
        text, score = found[0] if found else ("", 1.0)
        texts.append(text.strip() if float(score) >= LEAST_SCORE else "")
    return texts


if __name__ == "__main__":
    ocr = RapidOCR()
    for argument in sys.argv[1:]:
        print(json.dumps(read_corners(ocr, argument)))
