import { timingSafeEqual } from 'node:crypto';
import { HomeportError } from '../lib/homeport-error.ts';
import { created, type Handler, ok, type Route } from './route.ts';

export interface ControlUse {
  controlHeader: string;
  /** New at every start; only who can read the data folder has it. */
  controlKey: string;
  loginUrl: () => string;
  /** Ends or replaces the server process. Absent where the server does not own its process. */
  process?: ProcessControl | undefined;
}

export interface ProcessControl {
  stop(): void;
  restart(): void;
}

/** Calls of commands of the same user (`homeport open`, `stop`, `restart`). */
export function controlRoutes({ controlHeader, controlKey, loginUrl, process: own }: ControlUse): Route[] {
  const expected = Buffer.from(controlKey);
  const controlled =
    (what: string, handler: Handler): Handler =>
    (request) => {
      const sent = Buffer.from(String(request.http.headers[controlHeader] ?? ''));
      if (sent.length !== expected.length || !timingSafeEqual(sent, expected))
        throw new HomeportError('forbidden', `Only the user who runs Homeport can ${what}.`);
      return handler(request);
    };
  const add = (path: string, what: string, handler: Handler): Route => ({
    method: 'post',
    path,
    access: 'public',
    handler: controlled(what, handler),
  });
  // After the response: the stop ends open requests.
  const later = (act: () => void): Handler => {
    return () => {
      setImmediate(act);
      return ok({ success: true });
    };
  };
  return [
    add('/api/v1/login-links', 'create a login link', () => created({ url: loginUrl() })),
    ...(own === undefined
      ? []
      : [
          add(
            '/api/v1/control/stop',
            'stop it',
            later(() => own.stop()),
          ),
          add(
            '/api/v1/control/restart',
            'restart it',
            later(() => own.restart()),
          ),
        ]),
  ];
}
