// Helpers of WebGL2: programs, buffers, and textures to draw to.

function makeProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, `#version 300 es\nprecision highp float;\n${source}`);
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

function makeBuffer(gl, data) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  return buffer;
}

/** Binds an attribute of a shader: `size` numbers for each vertex, from every `skip`-th row. */
function useBuffer(gl, location, buffer, { size, type, normalized = false, skip = 1 }) {
  const width = { [gl.FLOAT]: 4, [gl.UNSIGNED_BYTE]: 1 }[type];
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, size, type, normalized, size * width * skip, 0);
}

const NUMBERS_WIDTH = 256; // texels in a row of a texture of numbers

/**
 * A texture of numbers of a block's points: three floats, four bytes or two 16-bit numbers each. Shaders fetch the
 * numbers of point i at (i % 256, i / 256).
 */
function makeNumbers(gl, data) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  fillNumbers(gl, texture, data);
  return texture;
}

function fillNumbers(gl, texture, data) {
  const [channels, internal, format, type] = {
    Float32Array: [3, gl.RGB32F, gl.RGB, gl.FLOAT],
    Uint8Array: [4, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE],
    Uint16Array: [2, gl.RG16UI, gl.RG_INTEGER, gl.UNSIGNED_SHORT],
  }[data.constructor.name];
  const rows = Math.ceil(data.length / channels / NUMBERS_WIDTH);
  const padded = new data.constructor(rows * NUMBERS_WIDTH * channels);
  padded.set(data);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, internal, NUMBERS_WIDTH, rows, 0, format, type, padded);
}

function makeTexture(gl, format, width, height) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  return texture;
}

/** Returns a framebuffer with a texture for each format, and the given texture of depths or a new one. */
function makeTarget(gl, width, height, formats, depths = null) {
  const made = { width, height, textures: formats.map((format) => makeTexture(gl, format, width, height)) };
  made.ownDepths = depths ? null : makeTexture(gl, gl.DEPTH_COMPONENT24, width, height);
  made.depths = depths || made.ownDepths;
  made.framebuffer = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, made.framebuffer);
  made.textures.forEach((texture, i) => {
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + i, gl.TEXTURE_2D, texture, 0);
  });
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, made.depths, 0);
  gl.drawBuffers(formats.map((_, i) => gl.COLOR_ATTACHMENT0 + i));
  return made;
}

function deleteTarget(gl, { framebuffer, textures, ownDepths }) {
  gl.deleteFramebuffer(framebuffer);
  for (const texture of [...textures, ownDepths]) gl.deleteTexture(texture);
}

/** Binds textures to the samplers of these names. */
function useTextures(gl, at, textures) {
  Object.entries(textures).forEach(([name, texture], unit) => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.uniform1i(at[name], unit);
  });
}
