// Decodes and paints blocks while the browser still loads the file, some milliseconds at a time.

const MOST_WORK = 12; // ms of decoding and painting until the browser may do something else
const DRAWN_WHILE_LOADING = 500000; // points, at most

class Loader {
  constructor(viewer) {
    this.viewer = viewer;
    this.scene = viewer.scene;
    this.loaded = 0;
    this.loadedWhenDrawn = 0;
    this.toPaint = []; // numbers of blocks
    this.done = false;
    // Messages come at once; timers wait for some milliseconds each.
    this.next = new MessageChannel();
    this.next.port1.onmessage = () => this.work();
  }

  /** Decodes and paints for a while, again and again, as long as there is something to do. */
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
    // The last one may not have arrived as a whole.
    const complete = source && (source.nextElementSibling || document.readyState !== "loading");
    if (!complete) {
      if (!source && !this.done && document.readyState !== "loading") this.finish();
      return false;
    }
    const block = decodeBlock(source.textContent, this.scene);
    source.remove();
    this.viewer.renderer.add(block, paintBlock(block, this.viewer.choice, this.viewer.scale(), this.scene));
    this.loaded += block.count;
    // Not after each block, and not all points: where drawing is slow, that would take most of the time.
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
    // Once what is shown is painted; the rest of a sequence follows.
    if (this.toPaint.length === 0 || (this.isShown(place) && !this.isShown(this.toPaint[0]))) this.viewer.draw();
    return true;
  }

  isShown(place) {
    return this.scene.clouds[this.viewer.renderer.blocks[place].block.cloud].moment === this.viewer.moment;
  }

  /** Paints all blocks again, those that are shown first. */
  repaint() {
    const idle = this.toPaint.length === 0;
    const places = this.viewer.renderer.blocks.map((_, place) => place);
    this.toPaint = [...places.filter((place) => this.isShown(place)), ...places.filter((place) => !this.isShown(place))];
    if (idle && this.done) this.work();
  }
}
