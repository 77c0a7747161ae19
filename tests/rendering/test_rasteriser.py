"""Projection, hidden surfaces, shading and shadow, on shapes simple enough to reckon by hand."""

import math

import numpy as np
import pytest

from vlmtom.rendering.camera import Camera
from vlmtom.rendering.meshes import box, ellipsoid, lathe, quad, tube
from vlmtom.rendering.raster import object_ids, render
from vlmtom.rendering.shading import LINEAR, SRGB, Lighting, to_srgb
from vlmtom.rendering.vectors import cross, dot

# 90 degrees, 100 pixels: focal length 50 px. It looks along +y.
AHEAD = Camera((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 90.0, 100, 100)
UNLIT = Lighting(ambient=1.0, sky=0.0, shadow=None)


def wall(object_id, y, half, color=(255, 255, 255)):
    corners = ((-half, y, -half), (half, y, -half), (half, y, half), (-half, y, half))
    return quad("wall", object_id, corners, color)


def test_a_square_covers_the_pixels_that_the_focal_length_says():
    # 2 m wide at 5 m: 50 * 2 / 5 = 20 pixels.
    ids, depth = object_ids([wall(7, 5.0, 1.0)], AHEAD)
    assert (ids == 7).sum() == 20 * 20
    assert (ids[40:60, 40:60] == 7).all()
    assert depth[50, 50] == pytest.approx(5.0, rel=1e-6)
    assert np.isinf(depth[0, 0])
    assert ids[0, 0] == 0


def test_camera_pixels_agree_with_the_raster():
    assert AHEAD.pixels(np.array([[1.0, 5.0, 1.0]])) == pytest.approx(np.array([[60.0, 40.0]]))


def test_the_nearer_surface_wins_in_either_order():
    near, far = wall(1, 2.0, 0.4), wall(2, 3.0, 2.0)
    first, _ = object_ids([near, far], AHEAD)
    second, _ = object_ids([far, near], AHEAD)
    assert first[50, 50] == 1
    assert first[50, 20] == 2
    assert np.array_equal(first, second)


def test_faces_seen_from_behind_are_not_drawn():
    corners = ((1, 2, -1), (-1, 2, -1), (-1, 2, 1), (1, 2, 1))
    ids, _ = object_ids([quad("back", 3, corners, (0, 0, 0))], AHEAD)
    assert not ids.any()


def test_a_floor_that_passes_under_the_eye_is_cut_not_lost():
    floor = quad("floor", 4, ((-9, -9, -1), (9, -9, -1), (9, 9, -1), (-9, 9, -1)), (90, 90, 90))
    ids, depth = object_ids([floor], AHEAD)
    # The row y px below the middle sees the floor at 50 / y metres.
    assert depth[99, 50] == pytest.approx(50 / 49.5, rel=1e-5)
    assert (ids[60:] == 4).all()
    assert not ids[:50].any()


def test_no_mesh_gives_the_background():
    picture = render([], AHEAD, Lighting(background=(10, 200, 30), shadow=None))
    assert (picture == (10, 200, 30)).all()
    assert not object_ids([], AHEAD)[0].any()


def test_full_ambient_light_shows_the_colour_itself():
    picture = render([wall(1, 2.0, 5.0, (200, 120, 40))], AHEAD, UNLIT)
    assert np.abs(picture.astype(int) - (200, 120, 40)).max() <= 1


def test_supersampling_averages_in_linear_light():
    # A white wall that covers the lower half of row 40's samples: half light is sRGB 188.
    corners = ((-9, 5, -9), (9, 5, -9), (9, 5, 0.95), (-9, 5, 0.95))
    picture = render([quad("half", 1, corners, (255, 255, 255))], AHEAD, UNLIT, supersampling=2)
    assert picture[40, 50, 0] == 188
    assert picture[41, 50, 0] == 255
    assert picture[39, 50, 0] == 0


def test_supersampling_below_one_is_refused():
    with pytest.raises(ValueError, match="must be 1 or more, not 0"):
        render([], AHEAD, supersampling=0)


def test_a_box_throws_a_shadow_on_the_side_away_from_the_lamp():
    camera = Camera((0.0, -2.0, 2.0), (0.0, 0.0, 0.0), 40.0, 200, 200)
    floor = quad("f", 1, ((-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)), (200, 200, 200))
    picture = render([floor, *box("b", 2, (0, 0, 0), (0.2, 0.2, 0.2), (90, 90, 90))], camera)
    # The lamp is on the left (x < 0), so the shadow falls to the right.
    left, right = camera.pixels(np.array([[-0.14, 0.0, 0.0], [0.14, 0.06, 0.0]])).astype(int)
    assert int(picture[right[1], right[0], 0]) < int(picture[left[1], left[0], 0]) - 25


def test_srgb_tables_undo_each_other():
    assert (to_srgb(LINEAR) == np.arange(256)).sum() >= 250  # the darkest steps share table rows
    assert SRGB[0] == 0
    assert SRGB[-1] == 255
    # IEC 61966-2-1: sRGB 188 is 0.5029 of the light.
    assert LINEAR[188] == pytest.approx(0.5029, abs=1e-4)


@pytest.mark.parametrize(
    "mesh",
    [
        *box("b", 1, (0.2, -0.1, 0.3), (0.3, 0.2, 0.5), (1, 2, 3)),
        ellipsoid("e", 1, (0, 0, 0), (0.3, 0.2, 0.5), (1, 2, 3)),
        *tube("t", 1, (0, 0, 0), (0.3, 0.4, 0.5), 0.1, 0.05, (1, 2, 3)),
        lathe("l", 1, (0, 0), [(0, 0.2, 0.1), (0.5, 0.3, 0.2), (0.7, 0.1, 0.1)], (1, 2, 3)),
    ],
)
def test_triangles_face_outwards(mesh):
    points = mesh.vertices[mesh.faces]
    normal = cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    if mesh.normals is not None:
        outward = mesh.normals[mesh.faces][:, 0]
    elif mesh.name == "b":
        outward = points[:, 0] - np.array((0.2, -0.1, 0.55))
    assert (dot(normal, outward) > 0).all()


def test_the_focal_length_of_the_testers_lens():
    camera = Camera((0, 0, 0), (0, 1, 0), 30.5, 1024, 768)
    assert camera.focal_px == pytest.approx(384 / math.tan(math.radians(15.25)))
