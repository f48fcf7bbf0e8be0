// Estimates the spacing of the points of a surface: about h sqrt(M / N) for N points in M cells of a grid with edges h.

const SPACING_CELLS = 128; // along the longest side of the box around most points

class SpacingSurvey {
  constructor(cloud, scene) {
    this.low = cloud.low.map((value, axis) => (value - scene.origin[axis]) / scene.scale);
    this.sides = cloud.high.map((value, axis) => (value - cloud.low[axis]) / scene.scale);
    this.edge = Math.max(...this.sides) / SPACING_CELLS;
    this.expected = cloud.drawn;
    this.points = 0;
    this.cells = 0;
    this.seen = null;
    this.value = 0;
  }

  add({ positions, count }) {
    if (!(this.edge > 0)) return;
    const cells = this.sides.map((side) => Math.max(1, Math.ceil(side / this.edge)));
    this.seen = this.seen || new Uint8Array(cells[0] * cells[1] * cells[2]);
    const { seen, low, edge } = this;
    for (let i = 0; i < 3 * count; i += 3) {
      const x = Math.floor((positions[i] - low[0]) / edge);
      const y = Math.floor((positions[i + 1] - low[1]) / edge);
      const z = Math.floor((positions[i + 2] - low[2]) / edge);
      if (x < 0 || y < 0 || z < 0 || x >= cells[0] || y >= cells[1] || z >= cells[2]) continue;
      const cell = (z * cells[1] + y) * cells[0] + x;
      ++this.points;
      if (seen[cell] === 0) ++this.cells;
      seen[cell] = 1;
    }
    if (this.points > 0) this.value = edge * Math.sqrt(this.cells / this.points);
    this.expected -= count;
    if (this.expected <= 0) this.seen = null;
  }
}
