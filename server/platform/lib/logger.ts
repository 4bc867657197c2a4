import pino from 'pino';
import { withCommandName } from './command-name.ts';
import { REDACTED } from './secret-replacer.ts';
import { isRedactedKey } from './secrets.ts';
import { terminalJson } from './terminal-text.ts';

/**
 * The program's own log. It must not contain secrets: callers log names and ids, and members with secret names are
 * censored here.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: Record<string, unknown>): Logger;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Levels of a logged object that are searched for secrets; callers log small objects. */
const MAX_DEPTH = 6;

interface LoggerOptions {
  level: LogLevel;
  /** What a person types for `homeport`; messages name commands with it. */
  commandName?: string;
  /** Default: writes to standard error. */
  write?: (line: string) => void;
}

export function createLogger(options: LoggerOptions): Logger {
  const { commandName = 'homeport' } = options;
  return pino(
    {
      level: options.level,
      base: null,
      formatters: { log: (fields) => censorMembers(fields, 0) },
      hooks: {
        logMethod(args, method) {
          method.apply(
            this,
            args.map((arg: unknown) =>
              typeof arg === 'string' ? withCommandName(arg, commandName) : arg,
            ) as typeof args,
          );
        },
        // The lines may be shown on a terminal, and names in them may come from elsewhere.
        streamWrite: terminalJson,
      },
      serializers: { err: (error: Error) => censorMembers({ ...pino.stdSerializers.err(error) }, 0) },
    },
    options.write ? { write: options.write } : pino.destination({ fd: 2, sync: true }),
  );
}

function censorMembers(members: Record<string, unknown>, level: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, isRedactedKey(name) ? REDACTED : censor(value, level + 1)]),
  );
}

function censor(value: unknown, level: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || level > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => censor(item, level + 1));
  return censorMembers(value as Record<string, unknown>, level);
}

export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};
