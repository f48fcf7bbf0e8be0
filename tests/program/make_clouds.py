"""Files for the tests of the program: made clouds in every format, the same each time."""
import math
import random
import struct
from pathlib import Path


def sphere(points, seed=1):
    """Points on a sphere of 10 m, with an intensity each."""
    source = random.Random(seed)
    cloud = []
    for _ in range(points):
        z = source.uniform(-1, 1)
        angle = source.uniform(0, 2 * math.pi)
        r = math.sqrt(1 - z * z)
        point = (10 * r * math.cos(angle), 10 * r * math.sin(angle), 10 * z, source.random())
        cloud.append(struct.unpack('<4f', struct.pack('<4f', *point)))  # as files of floats have it
    return cloud


def text(cloud):
    return ''.join('%.9g %.9g %.9g %.9g\n' % point for point in cloud).encode()


def floats(cloud, order='<'):
    return b''.join(struct.pack(order + '4f', *point) for point in cloud)


def kitti(cloud):
    return floats(cloud)


def pcd(cloud, data='binary', claim=None):
    points = len(cloud) if claim is None else claim
    header = (f'VERSION .7\nFIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH {points}\n'
              f'HEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {points}\nDATA {data}\n')
    return header.encode() + (text(cloud) if data == 'ascii' else floats(cloud))


def ply(cloud, encoding='binary_little_endian', claim=None):
    points = len(cloud) if claim is None else claim
    order = '>' if 'big' in encoding else '<'
    header = (f'ply\nformat {encoding} 1.0\nelement vertex {points}\nproperty float x\nproperty float y\n'
              f'property float z\nproperty float intensity\nend_header\n')
    return header.encode() + (text(cloud) if encoding == 'ascii' else floats(cloud, order))


def ply_doubles(points):
    """Rows of x, y, z as float64, and their number as a column t of float64."""
    header = (f'ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\nproperty double x\n'
              f'property double y\nproperty double z\nproperty double t\nend_header\n')
    return header.encode() + b''.join(struct.pack('<4d', *point, 1.7e9 + i / 8) for i, point in enumerate(points))


def npy_doubles(points):
    header = repr({'descr': '<f8', 'fortran_order': False, 'shape': (len(points), 3)}) + '\n'
    return b'\x93NUMPY\1\0' + struct.pack('<H', len(header)) + header.encode() + b''.join(
        struct.pack('<3d', *point) for point in points)


def utm(points, seed=1):
    """Points of a place of 100 m, in meters from the equator and a meridian."""
    source = random.Random(seed)
    return [(636001 + source.uniform(0, 100), 5848935 + source.uniform(0, 100), source.uniform(0, 30))
            for _ in range(points)]


def compressed_zeros(references):
    """A compressed .pcd of zeros that unpacks to 8 + 264 * references bytes, for an odd number of references."""
    size = 8 + 264 * references
    packed = b'\x07' + b'\0' * 8 + b'\xe0\xff\x00' * references
    return pcd([], 'binary_compressed', size // 16) + struct.pack('<II', len(packed), size) + packed


def obj(cloud):
    return ''.join('v %.9g %.9g %.9g\n' % point[:3] for point in cloud).encode()


def npy(cloud, rows=None):
    header = repr({'descr': '<f4', 'fortran_order': False, 'shape': (len(cloud) if rows is None else rows, 4)}) + '\n'
    return b'\x93NUMPY\1\0' + struct.pack('<H', len(header)) + header.encode() + kitti(cloud)


def make(folder: Path):
    """What the pages' examples name: FOLDER of sweeps, scan.pcd, model.ply."""
    (folder / 'FOLDER').mkdir()
    for i in range(3):
        (folder / 'FOLDER' / f'{i:06}.bin').write_bytes(kitti(sphere(2000 + 100 * i, i)))
    (folder / 'scan.pcd').write_bytes(pcd(sphere(6000)))
    # Slim: it fills little of a picture, which takes long to draw.
    slim = [(x, y / 12, z / 12, i) for x, y, z, i in sphere(4000, 5)]
    (folder / 'model.ply').write_bytes(ply(slim))


if __name__ == '__main__':
    import sys
    make(Path(sys.argv[1]))
