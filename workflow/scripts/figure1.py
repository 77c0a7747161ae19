from vlmtom.publish.figure1 import Clip, Scene, clip_of, figure1, scene_of
from vlmtom.publish.style import save_figure
from vlmtom.stats.references import load_references
from vlmtom.store import PictureStore, read_rows, schemas

from _script import start_log

log = start_log(snakemake)
given = snakemake.input
scene_picture, scene = scene_of(
    read_rows(given.director_items, schemas.ITEMS),
    read_rows(given.director_keys, schemas.DIRECTOR_KEYS),
)
clip_picture, clip = clip_of(
    read_rows(given.triangles_items, schemas.ITEMS),
    read_rows(given.triangles_keys, schemas.TRIANGLES_KEYS),
)
figure = figure1(
    Scene(png=PictureStore(given.director_pictures, schemas.PICTURES).png(scene_picture), **scene),
    Clip(png=PictureStore(given.triangles_pictures, schemas.PICTURES).png(clip_picture), **clip),
    load_references(given.references),
)
save_figure(figure, snakemake.output.pdf, snakemake.output.png)
log.info("scene %s, clip %s", scene_picture, clip_picture)
