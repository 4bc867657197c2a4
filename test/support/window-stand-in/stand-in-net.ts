import { type ClientRequest, type RequestOptions, request } from 'node:http';
import { request as requestSecurely } from 'node:https';

/** Electron's `net.request` for the updater, over Node's HTTP: a redirect is told, and followed by the caller. */
export function requestAsElectron(options: RequestOptions): ClientRequest {
  const { session: _session, redirect: _redirect, ...asked } = options as RequestOptions & Record<string, unknown>;
  const send = asked.protocol === 'https:' ? requestSecurely : request;
  const made = send({ ...asked, agent: false });
  made.prependListener('response', (response) => {
    const { location } = response.headers;
    if (location === undefined || (response.statusCode ?? 0) < 300 || (response.statusCode ?? 0) > 399) return;
    response.resume();
    made.emit('redirect', response.statusCode, options.method ?? 'GET', location);
  });
  return made;
}
