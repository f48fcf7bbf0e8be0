// For scripts and tests: window.farpoint.ready, .pick(x, y), .placeOf(cloud, index), ...
window.farpoint = new Viewer(JSON.parse(byId("scene").textContent));
window.farpoint.ready.catch(() => {}); // the page shows the error
window.farpoint.start();
