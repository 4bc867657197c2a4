'use strict';
// Loaded into a hub of a test: connections to named hosts go to a local server (HOMEPORT_TEST_HOSTS: JSON of
// "host:port" to a port of this computer).
const { Socket } = require('node:net');

const hosts = JSON.parse(process.env.HOMEPORT_TEST_HOSTS ?? '{}');
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  const port = options && hosts[`${options.host}:${options.port}`];
  if (port !== undefined) Object.assign(options, { host: '127.0.0.1', port });
  return connect.apply(this, args);
};
