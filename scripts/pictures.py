"""Pictures of the pages: small enough for a repository. Needs Pillow (Debian's python3-pil) only to make one smaller."""

import io
import shutil
import sys

LARGEST = 300_000  # bytes of a picture in docs
SCALES = (1, 0.75, 0.5)  # tried in this order


def smaller(source):
    """The bytes of a PNG with a palette of 256 colors, scaled down as far as LARGEST asks for, to half the size at most.
    Raises ImportError without Pillow."""
    from PIL import Image
    large = Image.open(source).convert("RGB")
    for scale in SCALES:
        size = [max(1, round(scale * side)) for side in large.size]
        scaled = large if scale == 1 else large.resize(size, Image.LANCZOS)
        encoded = io.BytesIO()
        # Maximum coverage keeps colors that are rare: median cut turns the red of a color scale into beige.
        scaled.quantize(256, method=Image.MAXCOVERAGE).save(encoded, "PNG", optimize=True)
        if encoded.tell() <= LARGEST:
            break
    return encoded.getvalue()


def copy(source, target):
    """Copies a PNG; one that is larger than LARGEST is made smaller."""
    if source.stat().st_size > LARGEST:
        try:
            target.write_bytes(smaller(source))
            return
        except ImportError:
            print(f"{target.name}: {source.stat().st_size:,} bytes, and docs take {LARGEST:,}: install Pillow and run this "
                  "script again", file=sys.stderr)
    if source.resolve() != target.resolve():
        shutil.copyfile(source, target)


def too_large(root):
    """A problem for each picture of the pages that is larger than LARGEST."""
    return [f"{path.relative_to(root).as_posix()}: {path.stat().st_size:,} bytes; a picture has at most {LARGEST:,} "
            "(scripts/pictures.py makes it smaller)"
            for path in sorted((root / "docs").rglob("*")) if path.suffix in (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp")
            and path.stat().st_size > LARGEST]
