// The smallest bot there is: it takes every delivery about an issue and does nothing. GET /handled says how many it took.
// Called as `node app.js FILE`: the file gets the port once there is one.
"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const { Probot, Server } = require("probot");

// Probot wants the key of an App; nothing is ever signed with this one.
const { privateKey } = crypto.generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

// Port 0 means 3000 to Probot: a free one is looked for first.
function freePort() {
  return new Promise((resolve) => {
    const probe = require("node:net").createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function main() {
  let handled = 0;
  const port = await freePort();
  const server = new Server({
    host: "127.0.0.1",
    port,
    // Nothing is logged: what is measured is the work.
    Probot: Probot.defaults({ appId: 1, privateKey, secret: process.env.WEBHOOK_SECRET, logLevel: "fatal" }),
  });
  await server.load((app, { getRouter }) => {
    app.on("issues", () => {
      handled += 1;
    });
    getRouter("/handled").get("/", (_request, response) => response.json(handled));
  });
  await server.start();
  fs.writeFileSync(process.argv[2] + ".new", String(port));
  fs.renameSync(process.argv[2] + ".new", process.argv[2]);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
