// Draws blocks of points with WebGL2: to a texture with depths, which are then shaded, and to small pictures of numbers,
// in which a click finds the point at a pixel.

const WHOLE_PANE_VERTEX = `
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

// Eye-dome lighting: a pixel is darker the farther it lies behind its neighbors, at two radii. This shows edges and shapes
// without normals.
const SHADE_FRAGMENT = `
uniform highp sampler2D colors;
uniform highp sampler2D depths;
uniform ivec4 pane;
uniform vec3 ground;
uniform float near, far, strength, reach;
layout(location = 0) out vec4 result;
const vec2 AROUND[8] = vec2[8](vec2(1, 0), vec2(0.7, 0.7), vec2(0, 1), vec2(-0.7, 0.7), vec2(-1, 0), vec2(-0.7, -0.7),
                               vec2(0, -1), vec2(0.7, -0.7));
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
  for (int i = 0; i < 16; ++i) {
    float ring = i < 8 ? 1.0 : 3.0;
    ivec2 neighbor = clamp(at + ivec2(round(reach * ring * AROUND[i & 7])), pane.xy, pane.zw - 1);
    behind += clamp(here - log_distance(neighbor), 0.0, 0.1) / ring;
  }
  result = vec4(color.rgb * exp2(-strength * behind), 1.0);
}`;

const LAYER_LIFT = 0.005; // fraction of the distance by which a cloud is drawn nearer than the previous cloud of the same picture
const MOST_DOT = 24; // pixels of the page: the largest dot
const PICK_REACH = 8; // pixels of the page around a click in which a point is searched

class Renderer {
  constructor(canvas, scene) {
    this.gl = canvas.getContext("webgl2", { antialias: false, alpha: false, depth: false });
    if (!this.gl) throw new Error("There is no WebGL2 in this browser.");
    this.scene = scene;
    this.blocks = [];
    this.blocksOf = scene.clouds.map(() => []);
    this.spacings = scene.clouds.map((cloud) => new SpacingSurvey(cloud, scene));
    this.dots = new Dots(this.gl);
    this.cubes = scene.clouds.some(({ cubes }) => cubes) ? new Cubes(this.gl) : null;
    this.splats = this.makeSplats();
    this.shade = makeProgram(this.gl, WHOLE_PANE_VERTEX, SHADE_FRAGMENT);
    this.target = null;
    this.gl.bindVertexArray(this.gl.createVertexArray());
    this.gl.depthFunc(this.gl.LEQUAL);
  }

  /** Null if no cloud has splats, or if the browser cannot draw them; dots are drawn instead. */
  makeSplats() {
    if (!this.scene.clouds.some(({ splats }) => splats)) return null;
    try {
      return new Splats(this.gl);
    } catch {
      return null;
    }
  }

  /** All shapes that a cloud of the scene can have. */
  shapes() {
    return ["dots", ...["cubes", "splats"].filter((name) => this[name])];
  }

  add(block, colors) {
    const last = this.blocks[this.blocks.length - 1];
    const spacing = this.spacings[block.cloud];
    spacing.add(block);
    const entry = {
      block,
      first: last ? last.first + last.block.count : 0,
      positions: makeBuffer(this.gl, block.positions),
      colors: makeBuffer(this.gl, colors),
      cubes: this.cubes && cubesOf(this.gl, block, this.scene),
      splats: this.splats && splatsOf(this.gl, block, this.scene),
      spacing: () => spacing.value,
    };
    if (entry.cubes || entry.splats) entry.colorNumbers = makeNumbers(this.gl, colors);
    if (entry.splats) entry.positionNumbers = makeNumbers(this.gl, block.positions);
    this.blocks.push(entry);
    this.blocksOf[block.cloud].push(entry);
  }

  paint(place, colors) {
    const { gl } = this;
    const entry = this.blocks[place];
    gl.bindBuffer(gl.ARRAY_BUFFER, entry.colors);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, colors);
    if (entry.colorNumbers) fillNumbers(gl, entry.colorNumbers, colors);
  }

  resize() {
    const { gl } = this;
    const { width, height } = gl.canvas;
    if (this.target && this.target.width === width && this.target.height === height) return;
    if (this.target) deleteTarget(gl, this.target);
    this.target = makeTarget(gl, width, height, [gl.RGBA8]);
  }

  /** Draws the points of a pane's clouds, in the selected shape if the cloud has it, otherwise as dots. */
  drawPoints(pane, camera, look, { matrix, skip, numbers, target }) {
    const { gl } = this;
    const pass = {
      matrix, camera, look, skip, numbers, target,
      focal: pane.height / 2 / Math.tan(VERTICAL_ANGLE / 2),
      layerOf: (cloud) => pane.clouds.indexOf(cloud),
    };
    const entries = pane.clouds.flatMap((cloud) => this.blocksOf[cloud]);
    const has = (shape) => entries.filter((entry) => look.shape === shape && entry[shape]);
    const rest = entries.filter((entry) => !entry[look.shape]);
    gl.enable(gl.DEPTH_TEST);
    for (const [name, list] of [["dots", rest], ["cubes", has("cubes")], ["splats", has("splats")]]) {
      if (list.length > 0) this[name].draw(list, pass);
    }
    gl.disable(gl.DEPTH_TEST);
    gl.disableVertexAttribArray(0);
    gl.disableVertexAttribArray(1);
  }

  /**
   * @param panes  [{ x, y, width, height, clouds }], in pixels of the canvas from its lower left corner
   * @param look   { size, byDistance, splatSize, shape, density, shading, clip, ground }: `size` of points in
   *               pixels of the page, `density` pixels of the canvas per pixel of the page, box `clip` of visible points
   * @param skip   draws every skip-th point
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
      const matrix = camera.matrix(pane.width / pane.height);
      this.drawPoints(pane, camera, look, { matrix, skip, numbers: false, target: this.target });
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
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
    useTextures(gl, at, { colors: this.target.textures[0], depths: this.target.depths });
    gl.uniform4i(at.pane, x, y, x + width, y + height);
    gl.uniform3f(at.ground, ...look.ground.map((value) => value / 255));
    gl.uniform1f(at.near, camera.near);
    gl.uniform1f(at.far, camera.far);
    gl.uniform1f(at.strength, look.shading);
    gl.uniform1f(at.reach, Math.max(1, look.density));
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** The point nearest to (x, y), in pixels of the canvas from the pane's lower left corner: { block, i } or null. */
  pick(pane, x, y, camera, look) {
    const { gl } = this;
    const reach = Math.ceil(PICK_REACH * look.density);
    const side = 2 * reach + 1;
    // Dots whose centers lie outside the picture are not drawn, so the picture is larger than the searched square.
    const margin = Math.ceil((MOST_DOT * look.density) / 2);
    const size = side + 2 * margin;
    const target = makeTarget(gl, size, size, [gl.R32UI]);
    // The picture has the pixels around (x, y) only.
    const stretch = [
      pane.width / size, 0, 0, 0, 0, pane.height / size, 0, 0, 0, 0, 1, 0,
      (pane.width - 2 * x) / size, (pane.height - 2 * y) / size, 0, 1,
    ];
    this.enter({ x: 0, y: 0, width: size, height: size });
    gl.clearBufferuiv(gl.COLOR, 0, new Uint32Array(4));
    gl.clearBufferfv(gl.DEPTH, 0, new Float32Array([1]));
    const matrix = multiply(stretch, camera.matrix(pane.width / pane.height));
    this.drawPoints(pane, camera, look, { matrix, skip: 1, numbers: true, target });
    const numbers = new Uint32Array(4 * side * side);
    gl.readPixels(margin, margin, side, side, gl.RGBA_INTEGER, gl.UNSIGNED_INT, numbers);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    deleteTarget(gl, target);
    return this.pointOf(nearestNumber(numbers, reach));
  }

  /** The point of a number in the picture of numbers, which counts the points of all blocks from 1; null for 0. */
  pointOf(number) {
    if (number === 0) return null;
    const { block, first } = this.blocks.find((one) => number <= one.first + one.block.count);
    return { block, i: number - 1 - first };
  }
}

/** Finds the nonzero number nearest to the center of a square of numbers (RGBA, only R is used). */
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
