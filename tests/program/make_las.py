"""LAS files for the tests of the program, byte by byte as the specification (ASPRS, LAS 1.4 R15) has them."""
import struct

record_bytes = {0: 20, 1: 28, 2: 26, 3: 34, 6: 30, 7: 36, 8: 38}


def record(point_format, values, extra=b''):
    """A point: `values` has X, Y, Z as integers, and perhaps other values of the format."""
    has = {'intensity': 0, 'returns': 0, 'flags': 0, 'classification': 0, 'angle': 0, 'user': 0, 'source': 0, 'time': 0.0,
           'rgb': (0, 0, 0), 'nir': 0, **values}
    made = struct.pack('<3iH', has['X'], has['Y'], has['Z'], has['intensity'])
    if point_format < 6:
        made += struct.pack('<BBbBH', has['returns'], has['classification'], has['angle'], has['user'], has['source'])
        if point_format in (1, 3):
            made += struct.pack('<d', has['time'])
    else:
        made += struct.pack('<BBBBhHd', has['returns'], has['flags'], has['classification'], has['user'], has['angle'],
                            has['source'], has['time'])
    if point_format in (2, 3, 7, 8):
        made += struct.pack('<3H', *has['rgb'])
    if point_format == 8:
        made += struct.pack('<H', has['nir'])
    assert len(made) == record_bytes[point_format]
    return made + extra


def variable_record(user, number, data):
    return struct.pack('<H16sHH32s', 0, user, number, len(data), b'') + data


def extra_value(name, kind, options=0, scale=0.0, offset=0.0):
    """Describes an extra value; kinds: 1 uint8, 3 uint16, 9 float32, 10 float64."""
    return struct.pack('<HBB32s4s72s3d3d32s', 0, kind, options, name, b'', b'', scale, 0, 0, offset, 0, 0, b'')


def las(rows, point_format=0, minor=2, scale=(0.01, 0.01, 0.01), offset=(0, 0, 0), variable=(), **damage):
    """A file of point records. `damage` overrides numbers of the header by their names."""
    header_bytes = {3: 235, 4: 375}.get(minor, 227)
    length = len(rows[0]) if rows else record_bytes[point_format]
    has = {'magic': b'LASF', 'encoding': 0, 'major': 1, 'minor': minor, 'header_size': header_bytes,
           'first_point': header_bytes + sum(map(len, variable)), 'records': len(variable), 'point_format': point_format,
           'record_length': length, 'points': len(rows), 'points_of_14': len(rows), 'first_extended': 0,
           'extended': 0, 'scale': scale, 'offset': offset, **damage}
    made = struct.pack('<4sHH16sBB32s32sHHHIIBHI5I', has['magic'], 0, has['encoding'], b'', has['major'], has['minor'], b'',
                       b'test', 1, 2024, has['header_size'], has['first_point'], has['records'], has['point_format'],
                       has['record_length'], has['points'], 0, 0, 0, 0, 0)
    made += struct.pack('<12d', *has['scale'], *has['offset'], *[0.0] * 6)
    assert len(made) == 227
    if minor >= 3:
        made += struct.pack('<Q', 0)
    if minor == 4:
        made += struct.pack('<QIQ15Q', has['first_extended'], has['extended'], has['points_of_14'], *[0] * 15)
    return made + b''.join(variable) + b''.join(rows)
