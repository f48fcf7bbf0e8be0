// Splats: ellipses on the surface, blended where they overlap. Three passes: depths of the splats, moved back a little; sums
// of colors and normals of all splats in front of these depths; shading of the blended surface.

const SPLATS_VERTEX = `${PLACE}${FETCH}
uniform highp usampler2D normals, tangents, radii;
uniform vec2 along_range, across_range;
uniform float slack, least_radius, enlarged;
out vec2 on_disc;
out vec3 disc_normal;
const float STEPS = 65534.0;
const int CORNERS[6] = int[6](0, 1, 2, 2, 1, 3);
vec3 direction(vec2 code) {
  vec2 square = code / STEPS * 2.0 - 1.0;
  vec3 unfolded = vec3(square, 1.0 - abs(square.x) - abs(square.y));
  if (unfolded.z < 0.0) {
    vec2 signs = vec2(unfolded.x < 0.0 ? -1.0 : 1.0, unfolded.y < 0.0 ? -1.0 : 1.0);
    unfolded.xy = (1.0 - abs(unfolded.yx)) * signs;
  }
  return normalize(unfolded);
}
float radius(float code, vec2 range, float least) {
  return code > STEPS ? least : max(enlarged * mix(range.x, range.y, code / STEPS), least);
}
void main() {
  read_point(6);
  vec2 normal_code = vec2(texelFetch(normals, texel, 0).xy), tangent_code = vec2(texelFetch(tangents, texel, 0).xy);
  vec2 radius_code = vec2(texelFetch(radii, texel, 0).xy);
  vec3 to_eye = normalize(eye - position);
  // A splat without a normal faces the eye.
  bool faces = normal_code.x > STEPS;
  vec3 normal = faces ? to_eye : direction(normal_code);
  if (dot(normal, to_eye) < 0.0) normal = -normal;
  vec3 tangent = tangent_code.x > STEPS || faces
    ? cross(normal, abs(normal.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0)) : direction(tangent_code);
  tangent = normalize(tangent - normal * dot(tangent, normal));
  float least = least_radius * (matrix * vec4(position, 1.0)).w;
  float along = radius(radius_code.x, along_range, least), across = radius(radius_code.y, across_range, least);
  int corner_number = CORNERS[gl_VertexID % 6];
  on_disc = vec2((corner_number & 1) * 2 - 1, (corner_number >> 1) * 2 - 1);
  vec3 corner = position + tangent * (along * on_disc.x) + cross(normal, tangent) * (across * on_disc.y);
  // Moves the splat away from the eye by a fraction of the distance, which keeps the pixels that it covers.
  corner += (corner - eye) * (slack * max(along, across) / length(position - eye));
  gl_Position = is_clipped(position) ? NOWHERE : place(corner);
  point_color = color;
  disc_normal = normal;
}`;

const SPLATS_FRAGMENT = `
in vec2 on_disc;
void main() {
  if (dot(on_disc, on_disc) > 1.0) discard;
  put(point_color);
}`;

// Writes the number of the splat whose center is nearest to the pixel, in units of its half axes, among the splats that
// are visible there. The depth would not do: rims stand out of a curved surface, and hide the centers of other splats.
const NEAREST_FRAGMENT = `
uniform highp sampler2D depths;
in vec2 on_disc;
void main() {
  float from_center = dot(on_disc, on_disc);
  if (from_center > 1.0 || gl_FragCoord.z > texelFetch(depths, ivec2(gl_FragCoord.xy), 0).r) discard;
  gl_FragDepth = from_center;
  put(point_color);
}`;

const SUMS_FRAGMENT = `
in vec4 point_color;
in vec2 on_disc;
in vec3 disc_normal;
layout(location = 0) out vec4 color_sum;
layout(location = 1) out vec4 normal_sum;
void main() {
  float rest = 1.0 - dot(on_disc, on_disc);
  if (rest < 0.0) discard;
  float weight = rest * rest + 0.004;
  color_sum = vec4(point_color.rgb * weight, weight);
  normal_sum = vec4(disc_normal * weight, weight);
}`;

const LIGHT_FRAGMENT = `
uniform highp sampler2D color_sums, normal_sums;
uniform vec3 to_light, halfway;
layout(location = 0) out vec4 result;
void main() {
  vec4 sum = texelFetch(color_sums, ivec2(gl_FragCoord.xy), 0);
  if (sum.a == 0.0) discard;
  vec3 normal = normalize(texelFetch(normal_sums, ivec2(gl_FragCoord.xy), 0).xyz);
  float diffuse = max(0.0, 0.75 * dot(normal, to_light) + 0.25);
  float gloss = pow(max(0.0, dot(normal, halfway)), 32.0);
  result = vec4(sum.rgb / sum.a * (0.3 + 0.75 * diffuse) + 0.12 * gloss, 1.0);
}`;

const SPLAT_SLACK = 0.5; // longer half axes: a splat up to this far behind the nearest one belongs to the same surface

class Splats extends Shape {
  constructor(gl) {
    super(gl, SPLATS_VERTEX, SPLATS_FRAGMENT);
    if (!gl.getExtension("EXT_color_buffer_float") && !gl.getExtension("EXT_color_buffer_half_float")) {
      throw new Error("This browser cannot add up colors.");
    }
    this.nearest = makeProgram(gl, SPLATS_VERTEX, `${PUT_NUMBER}${NEAREST_FRAGMENT}`);
    this.sums = makeProgram(gl, SPLATS_VERTEX, SUMS_FRAGMENT);
    this.light = makeProgram(gl, WHOLE_PANE_VERTEX, LIGHT_FRAGMENT);
  }

  draw(entries, pass) {
    const { gl } = this;
    gl.colorMask(false, false, false, false);
    this.drawDiscs(pass.numbers ? this.numbers : this.colors, entries, pass, SPLAT_SLACK);
    gl.colorMask(true, true, true, true);
    if (pass.numbers) this.drawNumbers(entries, pass);
    else this.drawColors(entries, pass);
  }

  /** Draws the numbers of the visible splats into the first texture of the target. */
  drawNumbers(entries, pass) {
    const { gl } = this;
    const { width, height, textures, depths, framebuffer } = pass.target;
    const nearest = makeTarget(gl, width, height, []);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, textures[0], 0);
    gl.drawBuffers([gl.COLOR_ATTACHMENT0]);
    gl.clearBufferfv(gl.DEPTH, 0, new Float32Array([1]));
    this.drawDiscs(this.nearest, entries, pass, 0, { depths });
    deleteTarget(gl, nearest);
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  }

  drawColors(entries, pass) {
    const { gl } = this;
    this.resize(pass.target);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target.framebuffer);
    for (const i of [0, 1]) gl.clearBufferfv(gl.COLOR, i, new Float32Array(4));
    gl.depthMask(false);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    this.drawDiscs(this.sums, entries, pass, 0);
    gl.disable(gl.BLEND);
    gl.depthMask(true);

    gl.bindFramebuffer(gl.FRAMEBUFFER, pass.target.framebuffer);
    this.drawLight(pass.camera);
  }

  drawDiscs(program, entries, pass, slack, textures = {}) {
    const { gl } = this;
    const at = this.use(program, pass);
    gl.uniform1f(at.slack, slack);
    gl.uniform1f(at.least_radius, 0.75 / pass.focal);
    gl.uniform1f(at.enlarged, pass.look.splatSize * Math.sqrt(pass.skip));
    for (const entry of entries) {
      const { normals, tangents, radii, ranges } = entry.splats;
      gl.uniform2f(at.along_range, ...ranges[0]);
      gl.uniform2f(at.across_range, ...ranges[1]);
      this.drawFetched(at, entry, pass, { positions: entry.positionNumbers, normals, tangents, radii, ...textures }, 6);
    }
  }

  drawLight(camera) {
    const { gl } = this;
    const { program, at } = this.light;
    const { right, top, back } = camera.axes();
    const sum = add(add(add([0, 0, 0], right, -0.45), top, 0.65), back, 0.9);
    const toLight = add([0, 0, 0], sum, 1 / Math.hypot(...sum));
    const between = add(toLight, back);
    gl.useProgram(program);
    useTextures(gl, at, { color_sums: this.target.textures[0], normal_sums: this.target.textures[1] });
    gl.uniform3f(at.to_light, ...toLight);
    gl.uniform3f(at.halfway, ...add([0, 0, 0], between, 1 / Math.hypot(...between)));
    gl.disable(gl.DEPTH_TEST);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.enable(gl.DEPTH_TEST);
  }

  /** Framebuffer of the sums, with the size and the depths of the picture. */
  resize({ width, height, depths }) {
    const { gl } = this;
    if (this.target && this.target.depths === depths) return;
    if (this.target) deleteTarget(gl, this.target);
    this.target = makeTarget(gl, width, height, [gl.RGBA16F, gl.RGBA16F], depths);
  }
}

/** Splats of a block, from its attributes; null if its cloud has no splats. */
function splatsOf(gl, block, scene) {
  const { splats, attributes } = scene.clouds[block.cloud];
  if (!splats) return null;
  const sides = [splats.along, splats.across];
  const radii = new Uint16Array(2 * block.count);
  sides.forEach((which, side) => {
    const attribute = attributes[which];
    const { low, high } = attribute.range;
    const codes = block.codes[which];
    // Radii that are all integers are stored as integers, not in steps.
    const stepOf = (value) => (value === null ? NO_STEP : Math.round(((value - low) / (high - low || 1)) * (NO_STEP - 1)));
    for (let i = 0; i < block.count; ++i) {
      radii[2 * i + side] = attribute.code === "steps" ? codes[i] : stepOf(attributeValue(attribute, codes, i));
    }
  });
  return {
    normals: makeNumbers(gl, block.codes[splats.normal]),
    tangents: makeNumbers(gl, block.codes[splats.tangent]),
    radii: makeNumbers(gl, radii),
    ranges: sides.map((which) => [attributes[which].range.low, attributes[which].range.high].map((r) => r / scene.scale)),
  };
}
