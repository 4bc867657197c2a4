/** The first versions in which `NODE_USE_ENV_PROXY` works for `fetch`, `http` and `https`. */
const KNOWING = { 22: 21, 24: 5 };

/**
 * A module that Node loads before a program: versions that do not know the proxy of the environment send the requests of
 * `http`, `https` and `fetch` through it, too.
 */
export const OLDER_NODE_PROXY = `'use strict';
const [major, minor] = process.versions.node.split('.').map(Number);
const first = ${JSON.stringify(KNOWING)}[major];
if (first === undefined ? major < 24 : minor < first) useProxy(process.env.HTTPS_PROXY);

function useProxy(address) {
  if (!address) return;
  const http = require('node:http');
  const https = require('node:https');
  const net = require('node:net');
  const tls = require('node:tls');
  const proxy = new URL(address);
  const authorization = 'Basic ' + Buffer.from(proxy.username + ':' + proxy.password).toString('base64');

  function open(options, isSecure, done) {
    const { host, port } = options;
    if (host === proxy.hostname && String(port) === proxy.port) return void done(null, net.connect(options));
    const name = (net.isIPv6(host) ? '[' + host + ']' : host) + ':' + port;
    const headers = { host: name, 'proxy-authorization': authorization };
    const to = { host: proxy.hostname, port: proxy.port, agent: new http.Agent() };
    const asked = http.request({ ...to, method: 'CONNECT', path: name, headers });
    asked.once('error', done);
    asked.once('connect', ({ statusCode }, socket, head) => {
      if (statusCode !== 200) {
        socket.destroy();
        done(new Error('homeport run refused ' + name + ' (status ' + statusCode + ')'));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      const servername = options.servername || (net.isIP(host) ? '' : host);
      done(null, isSecure ? tls.connect({ ...options, socket, servername }) : socket);
    });
    asked.end();
  }

  const agentOf = (base, isSecure) =>
    class extends base {
      createConnection(options, done) {
        open({ ...options, host: options.host || options.hostname || 'localhost' }, isSecure, done);
      }
    };
  http.globalAgent = new (agentOf(http.Agent, false))({ keepAlive: true });
  https.globalAgent = new (agentOf(https.Agent, true))({ keepAlive: true });
  if (typeof Request !== 'function') return;
  // Loads the dispatcher of fetch.
  new Request('http://localhost');
  const symbol = Symbol.for('undici.globalDispatcher.1');
  const current = globalThis[symbol];
  if (!current) return;
  globalThis[symbol] = new current.constructor({
    connect: ({ hostname, port, protocol, servername }, done) => {
      const isSecure = protocol === 'https:';
      const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
      open({ host, port: port || (isSecure ? 443 : 80), servername, ALPNProtocols: ['http/1.1'] }, isSecure, done);
    },
  });
}
`;
