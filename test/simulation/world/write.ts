import { DatabaseSync } from 'node:sqlite';
import type { Answer } from './simulated-hub.ts';
import type { World } from './world.ts';

/** A write of the public API or of the person, on a hub with connection `c0`. */
export interface Write {
  /** Of the public API, as the route table spells it. Undefined: of the person. */
  route: string | undefined;
  /** What has to be there before, such as the object that is deleted; nothing fails meanwhile. */
  before?(world: World): Promise<unknown>;
  send(world: World): Promise<Answer>;
  /** What the caller does after a failure; default: the same again. */
  again?(world: World): Promise<Answer>;
  /** Whether what was asked for is there; `answer` is the one of `send`, if there was one. */
  isDone(world: World, answer: Answer | undefined): Promise<boolean>;
}

export type Writes = Readonly<Record<string, Write>>;

export const AT_C0 = { 'provider-config-key': 'sim', 'connection-id': 'c0' };
export const OF_C0 = { provider_config_key: 'sim', connection_id: 'c0' };

export const get = ({ hub }: World, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  hub.call('GET', path, { headers });

export async function list(world: World, path: string): Promise<Array<Record<string, unknown>>> {
  return ((await get(world, path)).body?.data ?? []) as never;
}

/** Whether a response contains a text. */
export const has = async (world: World, path: string, text: string, headers?: Record<string, string>) =>
  JSON.stringify((await get(world, path, headers)).body ?? null).includes(text);

/** A call with the key of the environment. `path`: of the call, where the route has parameters or a query belongs to it. */
export function write({
  route,
  path,
  body,
  headers = {},
  ...rest
}: {
  route: string;
  path?: string | ((world: World) => string);
  body?: unknown;
  headers?: Record<string, string>;
} & Pick<Write, 'before' | 'isDone'>): Write {
  const [method = '', own = ''] = route.split(' ');
  return {
    route,
    send: (world) => {
      const called = typeof path === 'function' ? path(world) : (path ?? own);
      return world.hub.call(method, called, { body, headers });
    },
    ...rest,
  };
}

/** While it drives the machine itself, a check has to let its calls go on. */
export function inTime<T>({ machine }: World, promise: Promise<T>): Promise<T> {
  return machine.until('a check', promise);
}

/** Rows of the database as it is on the disk. */
export function rowsOf(world: World, sql: string): unknown[] {
  const db = new DatabaseSync(world.databaseFile(), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}
