import { isoDateWithOffset } from '../platform/lib/dates.ts';
import { type FullConnectionParts, presentFullConnection } from './connection.present.ts';
import type { StoredConnection } from './connection.ts';

/** The JSON text before and after the time of the last read. */
interface TextParts {
  head: string;
  tail: string;
}

/**
 * JSON texts of connections as GET answers them. A text is kept as long as its connection object, which is replaced
 * after every change: credentials and configuration must belong to that object.
 */
export class ConnectionTexts {
  readonly #texts = new WeakMap<StoredConnection, TextParts>();

  /** The text of `presentFullConnection` without refresh tokens. */
  of(parts: Pick<FullConnectionParts, 'connection' | 'credentials' | 'config'>): string {
    const { connection } = parts;
    let text = this.#texts.get(connection);
    if (!text) {
      const shown = presentFullConnection({ ...parts, withRefreshToken: false, form: 'get' });
      const { last_fetched_at: _changing, credentials, ...head } = shown;
      text = { head: JSON.stringify(head).slice(0, -1), tail: JSON.stringify(credentials) };
      this.#texts.set(connection, text);
    }
    const { lastUsedAt } = connection;
    const at = lastUsedAt === null ? 'null' : `"${isoDateWithOffset(lastUsedAt)}"`;
    return `${text.head},"last_fetched_at":${at},"credentials":${text.tail}}`;
  }
}
