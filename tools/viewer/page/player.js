// Plays a sequence: a button, a slider, and the speed.

class Player {
  constructor(viewer) {
    this.viewer = viewer;
    this.count = viewer.scene.moments.length;
    this.playing = false;
  }

  listen() {
    if (this.count < 2) return;
    byId("player").hidden = false;
    byId("moment").max = String(this.count - 1);
    byId("moment").addEventListener("input", ({ target }) => {
      this.pause();
      this.show(target.valueAsNumber);
    });
    byId("play").addEventListener("click", () => this.toggle());
    this.show(this.viewer.moment);
  }

  show(moment) {
    this.viewer.showMoment(moment);
    const { name } = this.viewer.scene.moments[moment];
    byId("moment").value = String(moment);
    byId("moment").setAttribute("aria-valuetext", name);
    byId("moment-name").textContent = `${moment + 1} of ${this.count}: ${name}`;
  }

  /** Advances by a number of moments; after the last comes the first. */
  step(moments) {
    if (this.count > 1) this.show((this.viewer.moment + moments + this.count) % this.count);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.count < 2) return;
    this.playing = true;
    byId("play").textContent = "Pause";
    this.due = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      if (now >= this.due) {
        this.step(1);
        // If drawing takes longer than a moment lasts, the sequence slows down; no moment is skipped.
        this.due = Math.max(this.due + 1000 / Number(byId("speed").value), now);
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.playing = false;
    byId("play").textContent = "Play";
  }
}
