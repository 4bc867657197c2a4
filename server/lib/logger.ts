import pino from 'pino';

/** The program's own log. Secrets never reach it: callers log names and ids, and known keys are censored here. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: Record<string, unknown>): Logger;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Keys whose values are censored at any depth up to three, wherever they are logged. */
export const REDACTED_KEYS = [
  'authorization',
  'Authorization',
  'cookie',
  'set-cookie',
  'password',
  'secret',
  'token',
  'apiKey',
  'api_key',
  'access_token',
  'refresh_token',
  'client_secret',
  'credentials',
  'oauth_token',
  'oauth_token_secret',
  'private_key',
];

export function createLogger(options: { level: LogLevel; write?: (line: string) => void }): Logger {
  const paths = REDACTED_KEYS.flatMap((key) => {
    const member = /^[A-Za-z_]+$/.test(key) ? `.${key}` : `["${key}"]`;
    return [member.replace(/^\./, ''), `*${member}`, `*.*${member}`];
  });
  return pino(
    { level: options.level, base: null, redact: { paths, censor: '[redacted]' } },
    options.write ? { write: options.write } : pino.destination({ fd: 2, sync: true }),
  );
}

export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};
