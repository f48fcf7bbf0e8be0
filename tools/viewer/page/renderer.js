// Draws blocks of points with WebGL2: to a texture with depths, which are then shaded, and to small pictures of numbers,
// which say what point is at a place.

const POINTS_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
uniform mat4 matrix;
uniform float size, focus, lift, depth_offset;
uniform uint first;
out vec4 point_color;
flat out uint number;
void main() {
  gl_Position = matrix * vec4(position, 1.0);
  // Towards the eye by the share lift of the distance: the place in the picture stays.
  gl_Position = gl_Position * (1.0 - lift) + vec4(0.0, 0.0, depth_offset * lift, 0.0);
  // What is near is larger, up to a limit: it closes surfaces.
  gl_PointSize = size * clamp(focus / gl_Position.w, 0.75, 3.0);
  point_color = color;
  number = first + uint(gl_VertexID);
}`;

const POINTS_FRAGMENT = `#version 300 es
precision mediump float;
in vec4 point_color;
uniform bool discs;
out vec4 result;
void main() {
  vec2 from_centre = gl_PointCoord - 0.5;
  if (discs && dot(from_centre, from_centre) > 0.25) discard;
  result = point_color;
}`;

const NUMBERS_FRAGMENT = `#version 300 es
precision mediump float;
flat in highp uint number;
uniform bool discs;
out highp uint result;
void main() {
  vec2 from_centre = gl_PointCoord - 0.5;
  if (discs && dot(from_centre, from_centre) > 0.25) discard;
  result = number + 1u;
}`;

const SHADE_VERTEX = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

// A pixel is darker the farther it lies behind its neighbours, which shows edges and shapes without normals.
const SHADE_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D colors;
uniform highp sampler2D depths;
uniform ivec4 pane;
uniform vec3 ground;
uniform float near, far, strength;
uniform int reach;
out vec4 result;
float log_distance(ivec2 at) {
  float depth = texelFetch(depths, at, 0).r * 2.0 - 1.0;
  return log2(2.0 * near * far / (far + near - depth * (far - near)));
}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec4 color = texelFetch(colors, at, 0);
  if (color.a == 0.0) {
    result = vec4(ground, 1.0);
    return;
  }
  float here = log_distance(at), behind = 0.0;
  for (int i = 0; i < 9; ++i) {
    ivec2 neighbour = clamp(at + reach * ivec2(i % 3 - 1, i / 3 - 1), pane.xy, pane.zw - 1);
    behind += clamp(here - log_distance(neighbour), 0.0, 0.1);
  }
  result = vec4(color.rgb * exp2(-strength * behind), 1.0);
}`;

const LAYER_LIFT = 0.005; // of the distance: what a cloud lies nearer than the one before in the same picture
const PICK_REACH = 8; // pixels of the page around a place where a point is looked for

class Renderer {
  constructor(canvas) {
    this.gl = canvas.getContext("webgl2", { antialias: false, alpha: false, depth: false });
    if (!this.gl) throw new Error("There is no WebGL2 in this browser.");
    this.blocks = [];
    this.points = this.program(POINTS_VERTEX, POINTS_FRAGMENT);
    this.numbers = this.program(POINTS_VERTEX, NUMBERS_FRAGMENT);
    this.shade = this.program(SHADE_VERTEX, SHADE_FRAGMENT);
    this.target = null;
    this.gl.bindVertexArray(this.gl.createVertexArray());
  }

  program(vertex, fragment) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`A shader was refused: ${gl.getProgramInfoLog(program)}`);
    }
    const at = {};
    for (let i = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) - 1; i >= 0; --i) {
      const { name } = gl.getActiveUniform(program, i);
      at[name] = gl.getUniformLocation(program, name);
    }
    return { program, at };
  }

  buffer(data) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    return buffer;
  }

  add(block, colors) {
    const last = this.blocks[this.blocks.length - 1];
    this.blocks.push({
      block,
      first: last ? last.first + last.block.count : 0,
      positions: this.buffer(block.positions),
      colors: this.buffer(colors),
    });
  }

  paint(place, colors) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.blocks[place].colors);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, colors);
  }

  /** A framebuffer of this size, with textures for colours and depths. */
  framebuffer(width, height, format) {
    const { gl } = this;
    const texture = (internalFormat) => {
      const made = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, made);
      gl.texStorage2D(gl.TEXTURE_2D, 1, internalFormat, width, height);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
      return made;
    };
    const made = { width, height, colors: texture(format), depths: texture(gl.DEPTH_COMPONENT24) };
    made.framebuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, made.framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, made.colors, 0);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, made.depths, 0);
    return made;
  }

  resize() {
    const { gl } = this;
    const { width, height } = gl.canvas;
    if (this.target && this.target.width === width && this.target.height === height) return;
    if (this.target) {
      gl.deleteFramebuffer(this.target.framebuffer);
      gl.deleteTexture(this.target.colors);
      gl.deleteTexture(this.target.depths);
    }
    this.target = this.framebuffer(width, height, gl.RGBA8);
  }

  /** Draws the points of a pane's clouds; of each `skip` points one. */
  drawPoints({ program, at }, matrix, pane, camera, look, skip) {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.matrix, false, new Float32Array(matrix));
    const size = look.size * look.density;
    gl.uniform1f(at.depth_offset, camera.depthOffset);
    gl.uniform1f(at.focus, camera.distance);
    gl.uniform1i(at.discs, size >= 3 ? 1 : 0);
    gl.enable(gl.DEPTH_TEST);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    for (const { block, first, positions, colors } of this.blocks) {
      const layer = pane.clouds.indexOf(block.cloud);
      if (layer < 0) continue;
      // A sample in the same picture as its cloud covers the point that it is.
      gl.uniform1f(at.size, size * (1 + layer / 2));
      gl.uniform1f(at.lift, LAYER_LIFT * layer);
      if (at.first) gl.uniform1ui(at.first, first);
      gl.bindBuffer(gl.ARRAY_BUFFER, positions);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12 * skip, 0);
      gl.bindBuffer(gl.ARRAY_BUFFER, colors);
      gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 4 * skip, 0);
      gl.drawArrays(gl.POINTS, 0, Math.ceil(block.count / skip));
    }
  }

  /**
   * @param panes  [{ x, y, width, height, clouds }], in pixels of the canvas from its lower left corner
   * @param look   { size, density, shading, ground }: size of points in pixels of the page, pixels of the canvas in one
   */
  draw(panes, camera, look, skip = 1) {
    const { gl } = this;
    if (gl.canvas.width === 0 || gl.canvas.height === 0) return;
    this.resize();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target.framebuffer);
    gl.viewport(0, 0, gl.canvas.width, gl.canvas.height);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    for (const pane of panes) {
      this.enter(pane);
      this.drawPoints(this.points, camera.matrix(pane.width / pane.height), pane, camera, look, skip);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.DEPTH_TEST);
    gl.disableVertexAttribArray(0);
    gl.disableVertexAttribArray(1);
    for (const pane of panes) {
      this.enter(pane);
      this.shadePane(pane, camera, look);
    }
  }

  enter({ x, y, width, height }) {
    this.gl.viewport(x, y, width, height);
    this.gl.scissor(x, y, width, height);
  }

  shadePane({ x, y, width, height }, camera, look) {
    const { gl } = this;
    const { program, at } = this.shade;
    gl.useProgram(program);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.target.colors);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.target.depths);
    gl.uniform1i(at.colors, 0);
    gl.uniform1i(at.depths, 1);
    gl.uniform4i(at.pane, x, y, x + width, y + height);
    gl.uniform3f(at.ground, ...look.ground.map((value) => value / 255));
    gl.uniform1f(at.near, camera.near);
    gl.uniform1f(at.far, camera.far);
    gl.uniform1f(at.strength, look.shading ? 2 : 0);
    gl.uniform1i(at.reach, Math.max(1, Math.round(look.density)));
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** The point nearest to (x, y), in pixels of the canvas from the pane's lower left corner: { block, i } or null. */
  pick(pane, x, y, camera, look) {
    const { gl } = this;
    const reach = Math.ceil(PICK_REACH * look.density);
    const side = 2 * reach + 1;
    // Points whose centres lie outside the picture are not drawn: it is larger than what is looked at.
    const margin = Math.ceil(3 * look.size * look.density * (1 + pane.clouds.length / 2) / 2);
    const size = side + 2 * margin;
    const target = this.framebuffer(size, size, gl.R32UI);
    // The surroundings of (x, y) are all of this picture.
    const stretch = [
      pane.width / size, 0, 0, 0, 0, pane.height / size, 0, 0, 0, 0, 1, 0,
      (pane.width - 2 * x) / size, (pane.height - 2 * y) / size, 0, 1,
    ];
    this.enter({ x: 0, y: 0, width: size, height: size });
    gl.clearBufferuiv(gl.COLOR, 0, new Uint32Array(4));
    gl.clearBufferfv(gl.DEPTH, 0, new Float32Array([1]));
    const matrix = multiply(stretch, camera.matrix(pane.width / pane.height));
    this.drawPoints(this.numbers, matrix, pane, camera, look, 1);
    const numbers = new Uint32Array(4 * side * side);
    gl.readPixels(margin, margin, side, side, gl.RGBA_INTEGER, gl.UNSIGNED_INT, numbers);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(target.framebuffer);
    gl.deleteTexture(target.colors);
    gl.deleteTexture(target.depths);
    return this.pointOf(nearestNumber(numbers, reach));
  }

  /** Numbers are those of the points, from 1; 0 is none. */
  pointOf(number) {
    if (number === 0) return null;
    const { block, first } = this.blocks.find((one) => number <= one.first + one.block.count);
    return { block, i: number - 1 - first };
  }
}

/** Of a square of numbers (RGBA, only R is used), the one nearest to its centre that is not 0. */
function nearestNumber(numbers, reach) {
  const side = 2 * reach + 1;
  let nearest = 0;
  let least = Infinity;
  for (let i = 0; i < side * side; ++i) {
    const distance = Math.hypot((i % side) - reach, Math.floor(i / side) - reach);
    if (numbers[4 * i] !== 0 && distance < least) {
      least = distance;
      nearest = numbers[4 * i];
    }
  }
  return nearest;
}
