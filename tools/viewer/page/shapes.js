// Shapes of points: dots and cubes. Each shape has a program for the picture, and one that writes the numbers of points,
// in which a click finds a point.

/** Common part of the vertex shaders of all shapes. */
const PLACE = `
uniform mat4 matrix;
uniform float lift, depth_offset;
uniform vec3 clip_low, clip_high, eye;
uniform uint first;
out vec4 point_color;
flat out uint number;
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
// Moves a point towards the eye by the fraction lift of its distance, which keeps its position in the picture.
vec4 place(vec3 at) {
  vec4 placed = matrix * vec4(at, 1.0);
  return placed * (1.0 - lift) + vec4(0.0, 0.0, depth_offset * lift, 0.0);
}
bool is_clipped(vec3 at) {
  return any(lessThan(at, clip_low)) || any(greaterThan(at, clip_high));
}`;

/** Common part of shapes with several vertices per point, whose numbers come from textures, see makeNumbers(). */
const FETCH = `
uniform highp sampler2D positions, colors;
uniform int skip;
vec3 position;
vec4 color;
ivec2 texel;
void read_point(int vertices) {
  int i = gl_VertexID / vertices * skip;
  texel = ivec2(i & 255, i >> 8);
  position = texelFetch(positions, texel, 0).xyz;
  color = texelFetch(colors, texel, 0);
  number = first + uint(i);
}`;

/** The end of a fragment shader: it calls put(color). */
const PUT_COLOR = `
in vec4 point_color;
flat in highp uint number;
layout(location = 0) out vec4 result;
void put(vec4 color) { result = color; }`;
const PUT_NUMBER = `
in vec4 point_color;
flat in highp uint number;
layout(location = 0) out highp uint result;
void put(vec4 color) { result = number + 1u; }`;

const DOTS_VERTEX = `${PLACE}
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
uniform float size, spread, largest;
void main() {
  gl_Position = is_clipped(position) ? NOWHERE : place(position);
  gl_PointSize = min(max(size, spread / gl_Position.w), largest);
  point_color = color;
  number = first + uint(gl_VertexID);
}`;

const DOTS_FRAGMENT = `
void main() {
  vec2 from_center = gl_PointCoord - 0.5;
  if (dot(from_center, from_center) > 0.25) discard;
  put(point_color);
}`;

// The three faces of a cube that may face the eye, six vertices each.
const CUBES_VERTEX = `${PLACE}${FETCH}
uniform vec3 half_size, up;
out vec2 on_face;
const vec2 CORNERS[6] = vec2[6](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));
void main() {
  read_point(18);
  int axis = gl_VertexID % 18 / 6;
  on_face = CORNERS[gl_VertexID % 6];
  float side = eye[axis] > position[axis] ? 1.0 : -1.0;
  vec3 corner = axis == 0 ? vec3(side, on_face) : axis == 1 ? vec3(on_face.x, side, on_face.y) : vec3(on_face, side);
  gl_Position = is_clipped(position) ? NOWHERE : place(position + half_size * corner);
  vec3 normal = vec3(0.0);
  normal[axis] = side;
  float height = dot(normal, up);
  float light = height > 0.5 ? 1.0 : height < -0.5 ? 0.55 : axis == 0 || (axis == 1 && up.x != 0.0) ? 0.82 : 0.68;
  point_color = vec4(color.rgb * light, color.a);
}`;

const CUBES_FRAGMENT = `
in vec2 on_face;
void main() {
  // Edges are darker where a face is more than some pixels wide.
  vec2 pixel = fwidth(on_face);
  vec2 edges = smoothstep(1.0 - 2.0 * pixel, 1.0 - pixel, abs(on_face)) * (1.0 - smoothstep(0.15, 0.4, pixel));
  put(vec4(point_color.rgb * (1.0 - 0.35 * max(edges.x, edges.y)), point_color.a));
}`;

/** Programs of a shape. */
class Shape {
  constructor(gl, vertex, fragment) {
    this.gl = gl;
    this.colors = makeProgram(gl, vertex, `${PUT_COLOR}${fragment}`);
    this.numbers = makeProgram(gl, vertex, `${PUT_NUMBER}${fragment}`);
  }

  /** Activates a program and sets the uniforms that all shapes share. */
  use({ program, at }, pass) {
    const { gl } = this;
    const { camera, look } = pass;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.matrix, false, new Float32Array(pass.matrix));
    gl.uniform1f(at.depth_offset, camera.depthOffset);
    gl.uniform3f(at.clip_low, ...look.clip.low);
    gl.uniform3f(at.clip_high, ...look.clip.high);
    gl.uniform3f(at.eye, ...camera.eye);
    return at;
  }

  /** Sets the uniforms of a block. */
  useBlock(at, { block, first }, pass) {
    this.gl.uniform1f(at.lift, LAYER_LIFT * pass.layerOf(block.cloud));
    this.gl.uniform1ui(at.first, first);
  }

  /** Draws `vertices` vertices for each point of a block; shaders fetch the points from textures. */
  drawFetched(at, entry, pass, textures, vertices) {
    const { gl } = this;
    this.useBlock(at, entry, pass);
    useTextures(gl, at, { colors: entry.colorNumbers, ...textures });
    gl.uniform1i(at.skip, pass.skip);
    gl.drawArrays(gl.TRIANGLES, 0, vertices * Math.ceil(entry.block.count / pass.skip));
  }
}

class Dots extends Shape {
  constructor(gl) { super(gl, DOTS_VERTEX, DOTS_FRAGMENT); }

  draw(entries, pass) {
    const { gl } = this;
    const { look } = pass;
    const at = this.use(pass.numbers ? this.numbers : this.colors, pass);
    gl.uniform1f(at.largest, MOST_DOT * look.density);
    for (const entry of entries) {
      const layer = pass.layerOf(entry.block.cloud);
      // A sample that is drawn over its own cloud covers the point from which it was taken.
      gl.uniform1f(at.size, look.size * look.density * (1 + layer / 2));
      gl.uniform1f(at.spread, look.byDistance ? pass.focal * entry.spacing() * (look.size / 2) * (1 + layer / 2) : 0);
      this.useBlock(at, entry, pass);
      const { positions, colors } = entry;
      useBuffer(gl, 0, positions, { size: 3, type: gl.FLOAT, skip: pass.skip });
      useBuffer(gl, 1, colors, { size: 4, type: gl.UNSIGNED_BYTE, normalized: true, skip: pass.skip });
      gl.drawArrays(gl.POINTS, 0, Math.ceil(entry.block.count / pass.skip));
    }
  }
}

class Cubes extends Shape {
  constructor(gl) { super(gl, CUBES_VERTEX, CUBES_FRAGMENT); }

  draw(entries, pass) {
    const { gl } = this;
    const at = this.use(pass.numbers ? this.numbers : this.colors, pass);
    gl.uniform3f(at.up, ...pass.camera.up);
    for (const entry of entries) {
      const { centers, halfSize } = entry.cubes;
      gl.uniform3f(at.half_size, ...halfSize);
      this.drawFetched(at, entry, pass, { positions: centers }, 18);
    }
  }
}

/** Cubes of a block, from the attributes with the cells; null if its cloud has no cubes. */
function cubesOf(gl, block, scene) {
  const { cubes, attributes } = scene.clouds[block.cloud];
  if (!cubes) return null;
  const centers = new Float32Array(3 * block.count);
  for (let axis = 0; axis < 3; ++axis) {
    const which = cubes.cells[axis];
    const from = cubes.lower[axis] - scene.origin[axis];
    for (let i = 0; i < block.count; ++i) {
      const cell = attributeValue(attributes[which], block.codes[which], i) ?? NaN;
      centers[3 * i + axis] = (from + (cell + 0.5) * cubes.size[axis]) / scene.scale;
    }
  }
  return { centers: makeNumbers(gl, centers), halfSize: cubes.size.map((edge) => edge / 2 / scene.scale) };
}
