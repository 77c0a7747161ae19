"""Clips tell their stories, and the conditions differ in nothing simpler than how things move."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from vlmtom.errors import BadData
from vlmtom.triangles.animate import SHIPPED_SEED, animate, shipped_tracks, write_tracks
from vlmtom.triangles.gates import problems
from vlmtom.triangles.kinematics import kinematics, sampled
from vlmtom.triangles.sampling import sample_indices
from vlmtom.triangles.scripts import CONDITIONS, RESOURCES, scripts
from vlmtom.triangles.stage import FRAMES, QUANTA, TURN, WIDTH, Track, Tracks, crossings

FRESH = range(101, 111)  # seeds that nobody looked at


@pytest.fixture(scope="module")
def clips():
    """Every clip, shipped and of ten fresh seeds: (condition, tracks)."""
    made = [(s.condition, shipped_tracks(s.clip)) for s in scripts().values()]
    return made + [(s.condition, animate(s.clip, n)) for n in FRESH for s in scripts().values()]


def of(clips, condition, measure=kinematics):
    return [(t.clip, measure(t)) for c, t in clips if c == condition]


def test_twelve_clips_four_of_each_condition():
    by_condition = {c: [s for s in scripts().values() if s.condition == c] for c in CONDITIONS}
    assert {c: len(found) for c, found in by_condition.items()} == dict.fromkeys(CONDITIONS, 4)
    assert all(s.script.endswith(".") and s.source for s in scripts().values())


def test_the_shipped_tracks_are_those_of_their_seed_within_one_quantum():
    for clip in scripts():
        made, shipped = animate(clip, SHIPPED_SEED), shipped_tracks(clip)
        assert made.door == shipped.door
        assert [b.name for b in made.beats] == [b.name for b in shipped.beats]
        for who in ("big", "small"):
            a, b = made.both[who], shipped.both[who]
            assert np.abs(a.x - b.x).max() <= 1
            assert np.abs(a.y - b.y).max() <= 1
            turn = np.abs(a.heading - b.heading)
            assert np.minimum(turn, TURN - turn).max() <= 1


def test_writing_the_tracks_again_gives_the_committed_bytes_here(tmp_path):
    write_tracks(tmp_path)
    for path in sorted(tmp_path.rglob("*.csv")):
        assert path.read_bytes() == (RESOURCES / path.relative_to(tmp_path)).read_bytes(), path.name
    assert sum(p.stat().st_size for p in RESOURCES.rglob("*.csv")) < 1_000_000


def test_another_seed_is_another_clip_of_the_same_story(clips):
    for (_, shipped), (_, one), (_, two) in zip(
        clips[:12], clips[12:24], clips[24:36], strict=True
    ):
        assert np.abs(one.small.x - two.small.x).mean() > 0.1 * QUANTA
        assert [b.name for b in shipped.beats] == [b.name for b in one.beats]
    assert np.array_equal(animate("coaxing", FRESH[0]).big.x, clips[12][1].big.x)


def test_every_clip_meets_its_gates(clips):
    for condition, tracks in clips:
        assert problems(tracks, condition) == [], tracks.clip


def test_kinematics_are_as_the_conditions_demand(clips):
    for clip, k in of(clips, "Random"):
        assert max(k.big_speed_cv, k.small_speed_cv) < 0.2, clip
        assert abs(k.velocity_correlation) < 0.4, clip
        assert max(k.big_pause, k.small_pause) <= 0.03, clip
    for clip, k in of(clips, "GD"):
        assert max(k.big_pause, k.small_pause) <= 0.05, clip
        if clip not in ("dancing", "fighting"):
            assert k.velocity_correlation > 0.6, clip
    for clip, k in of(clips, "ToM"):
        assert min(k.big_pause, k.small_pause) > 0.2, clip
        assert k.events >= 20 and k.answered > 0.5, clip


def test_roles_show_in_the_lag(clips):
    # The chaser repeats the fleeing one's way later; the follower repeats the leader's.
    lags = [(clip, k.velocity_lag_s) for clip, k in of(clips, "GD")]
    assert max(lag for clip, lag in lags if clip == "chasing") < -0.8
    assert min(lag for clip, lag in lags if clip == "leading") > 1.2


def test_sixteen_frames_tell_the_conditions_apart_with_a_margin(clips):
    """Rests tell ToM; of the rest, coupling tells GD from Random. Margins, not just order."""
    tom, gd, random = (of(clips, c, sampled) for c in CONDITIONS)
    assert min(s.rest for _, s in tom) >= 0.5
    assert min(s.turns for _, s in tom) >= 0.25
    assert max(s.rest for _, s in gd + random) <= 0.07
    assert min(abs(s.coupling) for _, s in gd) >= 0.75
    assert max(abs(s.coupling) for _, s in random) <= 0.35
    assert max(s.facing for _, s in random) <= 0.13
    # A rule with its thresholds in the gaps is right on all 132 clips.
    for condition, found in (("ToM", tom), ("GD", gd), ("Random", random)):
        for clip, s in found:
            said = "ToM" if s.rest >= 0.25 else "GD" if abs(s.coupling) >= 0.55 else "Random"
            assert said == condition, clip


def test_distance_does_not_tell_the_conditions_apart(clips):
    for group in (clips[:12], clips[12:]):
        means = {c: np.array([k.distance_mean for _, k in of(group, c)]) for c in CONDITIONS}
        for a, b in pairwise([*CONDITIONS, CONDITIONS[0]]):
            assert abs(means[a].mean() - means[b].mean()) < 0.05, (a, b)
            # The ranges share at least half of the narrower one.
            shared = min(means[a].max(), means[b].max()) - max(means[a].min(), means[b].min())
            assert shared > 0.5 * min(np.ptp(means[a]), np.ptp(means[b])), (a, b)


def test_the_side_of_the_door_does_not_tell_the_conditions_apart(clips):
    for first in range(0, len(clips), 12):
        doors = Counter((c, t.door) for c, t in clips[first : first + 12])
        assert set(doors.values()) == {2} and len(doors) == 6


def test_the_enclosure_is_used_in_every_condition():
    inside = dict.fromkeys(CONDITIONS, 0)
    for script in scripts().values():
        tracks = shipped_tracks(script.clip)
        x = np.concatenate([tracks.big.x, tracks.small.x]) / QUANTA
        within = x > 8.4 if tracks.door == "left" else x < WIDTH - 8.4
        inside[script.condition] += bool(within.mean() > 0.2)
    assert all(2 <= n <= 3 for n in inside.values()), inside


def test_every_beat_shows_in_the_sampled_frames(clips):
    times = np.array(sample_indices(FRAMES)) / 25
    for condition, tracks in clips:
        assert (len(tracks.beats) == 6) == (condition == "ToM"), tracks.clip
        for beat in tracks.beats:
            assert beat.end_s - beat.start_s >= 1.3, (tracks.clip, beat)
            assert ((times >= beat.start_s) & (times <= beat.end_s)).any(), (tracks.clip, beat)
        if condition == "ToM":
            for beat in tracks.beats:
                at = slice(int(beat.start_s * 25) + 2, min(int(beat.end_s * 25), FRAMES) - 1)
                for track in tracks.both.values():
                    assert np.ptp(track.position[at], axis=0).max() < 0.02, (tracks.clip, beat)


def test_each_triangle_of_a_random_clip_is_blind_to_the_other(clips):
    # Over clips, independent motion has no mean correlation (a single clip has some by chance).
    values = [k.velocity_correlation for _, k in of(clips, "Random")]
    assert abs(np.mean(values)) < 0.12
    assert 0.3 < np.mean([s.watched for _, s in of(clips, "Random", sampled)]) < 0.55


# The measures themselves, on motions whose values follow from arithmetic ----------------------


def tracks_of(big, small, headings=(0.0, 0.0)):
    def track(points, heading):
        xy = np.round(np.asarray(points) * WIDTH * QUANTA).astype(np.int64)
        turn = np.full(FRAMES, round(heading * TURN), np.int64)
        return Track(xy[:, 0], xy[:, 1], turn)

    return Tracks("chasing", "left", track(big, headings[0]), track(small, headings[1]))


def line(start, step):
    return np.asarray(start) + np.arange(FRAMES)[:, None] * np.asarray(step)


def test_two_that_move_alike_are_coupled_and_look_at_each_other():
    # Both by 0.001 widths a frame: 0.025 widths/s; the small one 0.2 to the right, facing left.
    tracks = tracks_of(line((0.1, 0.2), (0.001, 0)), line((0.3, 0.2), (0.001, 0)), (0, 0.5))
    k, s = kinematics(tracks), sampled(tracks)
    assert k.big_speed == pytest.approx(0.025, rel=0.01)
    assert k.distance_mean == pytest.approx(0.2, abs=1e-4)
    assert k.distance_sd == pytest.approx(0, abs=1e-4)
    assert k.velocity_correlation == pytest.approx(1, abs=1e-3)
    assert k.big_pause == 0 and k.events == 0 and k.answered is None
    assert s.coupling == pytest.approx(1, abs=1e-3)
    assert s.facing == 1 and s.rest == 0 and s.both_move == 1


def test_one_that_rests_is_a_pause_and_a_turn():
    tracks = tracks_of(line((0.1, 0.2), (0, 0)), line((0.3, 0.2), (0.001, 0)), (0.5, 0))
    moving = sampled(tracks)
    assert (moving.rest, moving.turns, moving.both_move, moving.watched) == (1, 1, 0, 0)


def test_opposite_moves_have_a_correlation_of_minus_one():
    tracks = tracks_of(line((0.1, 0.2), (0.001, 0)), line((0.9, 0.2), (-0.001, 0)))
    assert kinematics(tracks).velocity_correlation == pytest.approx(-1, abs=1e-3)
    assert sampled(tracks).coupling == pytest.approx(-1, abs=1e-3)


def test_going_through_a_wall_is_counted_and_through_the_door_is_not():
    # The enclosure's left wall stands at 8.4 of 16 units, its door from 3.3 to 5.7.
    by_door = line((0.3, 4.5 / 16), (0.001, 0))
    by_wall = line((0.3, 2.0 / 16), (0.001, 0))
    assert crossings(tracks_of(by_door, by_door)) == 0
    assert crossings(tracks_of(by_door, by_wall)) == 1
    assert "wall" in problems(tracks_of(by_wall, np.add(by_wall, (0.2, 0))), "Random")[0]


def test_a_beat_that_is_too_short_is_a_problem():
    tracks = shipped_tracks("coaxing")
    short = replace(tracks.beats[0], end_s=tracks.beats[0].start_s + 1.0)
    assert "1.3 s" in problems(replace(tracks, beats=(short,)), "ToM")[0]


def test_tracks_that_cannot_be_used_are_named(tmp_path):
    write_tracks(tmp_path)
    path = tmp_path / "tracks" / "star.csv"
    whole = path.read_text().splitlines()
    path.write_text("\n".join([*whole[:50], whole[50].replace(",", ",x", 1), *whole[51:]]))
    with pytest.raises(BadData, match=r"star\.csv, line 51: expected whole numbers"):
        shipped_tracks("star", tmp_path)
    path.write_text("\n".join(whole[:100]))
    with pytest.raises(BadData, match="expected frames 0 to 487 in order, found 99 rows"):
        shipped_tracks("star", tmp_path)
    path.unlink()
    with pytest.raises(BadData, match=r"star\.csv: cannot be read"):
        shipped_tracks("star", tmp_path)


def test_a_clip_that_takes_long_to_draw_is_drawn():
    # of this seed more than twenty thousand draws of billiard miss a gate
    assert problems(animate("billiard", 1524474276), "Random") == []
