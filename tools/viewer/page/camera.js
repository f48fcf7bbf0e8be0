// Camera that turns around a target. Lengths are in units of the scene's frame; matrices are stored column by column.

const VERTICAL_ANGLE = (40 * Math.PI) / 180;

const add = (a, b, share = 1) => [a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function multiply(a, b) {
  const product = new Float64Array(16);
  for (let column = 0; column < 4; ++column) {
    for (let row = 0; row < 4; ++row) {
      for (let i = 0; i < 4; ++i) product[4 * column + row] += a[4 * i + row] * b[4 * column + i];
    }
  }
  return product;
}

class OrbitCamera {
  /** @param box  { low, high }: box that the camera shows */
  constructor(up, box) {
    this.up = up;
    const axis = up.findIndex((value) => value !== 0);
    this.east = [0, 0, 0];
    this.east[(axis + 1) % 3] = 1;
    this.north = cross(up, this.east);
    this.low = box.low;
    this.high = box.high;
    this.radius = Math.max(Math.hypot(...add(box.high, box.low, -1)) / 2, 1e-6);
    this.yaw = -Math.PI / 3;
    this.pitch = Math.PI / 6;
    this.fit(1);
  }

  /** Unit vectors to the right of the picture, to its top, and to the eye. */
  axes() {
    const { yaw, pitch, east, north, up } = this;
    const right = add(add([0, 0, 0], east, -Math.sin(yaw)), north, Math.cos(yaw));
    const level = add(add([0, 0, 0], east, Math.cos(yaw)), north, Math.sin(yaw));
    const back = add(add([0, 0, 0], level, Math.cos(pitch)), up, Math.sin(pitch));
    return { right, top: cross(back, right), back };
  }

  get eye() { return add(this.target, this.axes().back, this.distance); }

  get near() { return this.distance * 0.01; }
  get far() { return this.distance + 30 * this.radius; }

  /** Depth in clip coordinates of a point at the eye. */
  get depthOffset() { return (2 * this.far * this.near) / (this.near - this.far); }

  /** Matrix from the frame to clip coordinates, for a picture of this ratio of width to height. */
  matrix(aspect) {
    const { right, top, back } = this.axes();
    const { eye } = this;
    const view = [
      right[0], top[0], back[0], 0, right[1], top[1], back[1], 0, right[2], top[2], back[2], 0,
      -dot(right, eye), -dot(top, eye), -dot(back, eye), 1,
    ];
    const { near, far } = this;
    const focal = 1 / Math.tan(VERTICAL_ANGLE / 2);
    const projection = [
      focal / aspect, 0, 0, 0, 0, focal, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, this.depthOffset, 0,
    ];
    return multiply(projection, view);
  }

  /** Position of a point in the picture, from -1 to 1 to the right and up; null behind the camera. */
  project(point, aspect) {
    const m = this.matrix(aspect);
    const clip = (row) => m[row] * point[0] + m[4 + row] * point[1] + m[8 + row] * point[2] + m[12 + row];
    const w = clip(3);
    return w > this.near ? [clip(0) / w, clip(1) / w] : null;
  }

  /** Moves the camera so that the picture shows the whole box. */
  fit(aspect) {
    this.target = add(this.low, add(this.high, this.low, -1), 0.5);
    let near = this.radius * 0.1;
    let far = this.radius * 100;
    for (let round = 0; round < 30; ++round) {
      this.distance = (near + far) / 2;
      if (this.seesBox(aspect)) far = this.distance;
      else near = this.distance;
    }
    this.distance = far;
  }

  /** Size of a unit of length in a picture of this size that shows the whole box, in pixels up to a constant factor. */
  sizeWhenFitted(width, height) {
    const { target, distance } = this;
    this.fit(width / height);
    const size = height / this.distance;
    Object.assign(this, { target, distance });
    return size;
  }

  seesBox(aspect) {
    const share = 0.95; // fraction of the way from the target to a corner: only corners come as near to the edge of the picture
    for (let corner = 0; corner < 8; ++corner) {
      const end = [0, 1, 2].map((axis) => ((corner >> axis) & 1 ? this.high : this.low)[axis]);
      const point = add(this.target, add(end, this.target, -1), share);
      const place = this.project(point, aspect);
      if (!place || Math.abs(place[0]) > 0.94 || Math.abs(place[1]) > 0.94) return false;
    }
    return true;
  }

  look(yaw, pitch) {
    this.yaw = yaw;
    this.pitch = Math.min(Math.max(pitch, -Math.PI / 2), Math.PI / 2);
  }

  turn(yaw, pitch) { this.look(this.yaw + yaw, this.pitch + pitch); }

  /** Half the height of the visible part of the plane through the target. */
  get reach() { return this.distance * Math.tan(VERTICAL_ANGLE / 2); }

  /** Moves the target by a share of the picture's half height. */
  move(x, y) {
    const { right, top } = this.axes();
    this.target = add(add(this.target, right, x * this.reach), top, y * this.reach);
  }

  /** Changes the distance. The point seen at (x, y), in half heights from the center, keeps its position. */
  zoom(factor, x = 0, y = 0) {
    const distance = Math.min(Math.max(this.distance * factor, this.radius * 1e-5), this.radius * 100);
    const share = 1 - distance / this.distance;
    this.move(x * share, y * share);
    this.distance = distance;
  }
}
