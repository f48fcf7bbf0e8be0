// Decodes and paints blocks while the browser still loads the file, some milliseconds at a time.

const MOST_WORK = 12; // ms of decoding and painting before control returns to the browser
const DRAWN_WHILE_LOADING = 500000; // maximum number of points

class Loader {
  constructor(viewer) {
    this.viewer = viewer;
    this.scene = viewer.scene;
    this.loaded = 0;
    this.loadedWhenDrawn = 0;
    this.toPaint = []; // indices of blocks
    this.done = false;
    // Messages arrive without delay; a timer would wait for some milliseconds.
    this.next = new MessageChannel();
    this.next.port1.onmessage = () => this.work();
  }

  /** Decodes and paints for MOST_WORK ms, and schedules itself again until all is done. */
  work() {
    const end = performance.now() + MOST_WORK;
    let busy = true;
    while (busy && performance.now() < end) busy = this.paintNext() || this.decodeNext();
    if (!this.done) this.showProgress();
    if (this.done && this.toPaint.length === 0) return;
    if (busy) this.next.port2.postMessage(null);
    else setTimeout(() => this.work(), 20);
  }

  decodeNext() {
    const source = document.querySelector("script.block");
    // The last block may not have arrived completely.
    const complete = source && (source.nextElementSibling || document.readyState !== "loading");
    if (!complete) {
      if (!source && !this.done && document.readyState !== "loading") this.finish();
      return false;
    }
    const block = decodeBlock(source.textContent, this.scene);
    source.remove();
    this.viewer.renderer.add(block, paintBlock(block, this.viewer.choice, this.viewer.scale(), this.scene));
    this.loaded += block.count;
    // Draws seldom, and not all points: otherwise a slow machine would spend most of its time drawing.
    if (this.loaded > 2 * this.loadedWhenDrawn) {
      this.loadedWhenDrawn = this.loaded;
      this.viewer.skip = Math.ceil(this.loaded / DRAWN_WHILE_LOADING);
      this.viewer.draw();
    }
    return true;
  }

  finish() {
    this.done = true;
    this.viewer.skip = 1;
    const end = byId("end");
    const complete = end && this.loaded === this.viewer.total;
    this.viewer.finish(complete ? JSON.parse(end.textContent) : null);
  }

  showProgress() {
    const share = Math.floor((100 * this.loaded) / this.viewer.total);
    const text = share < 100 ? `Reading points: ${share} %` : "";
    if (byId("progress").textContent !== text) byId("progress").textContent = text;
  }

  paintNext() {
    if (this.toPaint.length === 0) return false;
    const { renderer, choice } = this.viewer;
    const place = this.toPaint.shift();
    renderer.paint(place, paintBlock(renderer.blocks[place].block, choice, this.viewer.scale(), this.scene));
    // Draws once the shown clouds are painted; the other moments of a sequence follow.
    if (this.toPaint.length === 0 || (this.isShown(place) && !this.isShown(this.toPaint[0]))) this.viewer.draw();
    return true;
  }

  isShown(place) {
    return this.scene.clouds[this.viewer.renderer.blocks[place].block.cloud].moment === this.viewer.moment;
  }

  /** Paints all blocks again, beginning with the blocks that are shown. */
  repaint() {
    const idle = this.toPaint.length === 0;
    const places = this.viewer.renderer.blocks.map((_, place) => place);
    this.toPaint = [...places.filter((place) => this.isShown(place)), ...places.filter((place) => !this.isShown(place))];
    if (idle && this.done) this.work();
  }
}
