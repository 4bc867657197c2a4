import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { CredentialPart, RequestCredential } from '../proxy/proxy.service.ts';
import { plainHeader } from '../proxy/proxy.service.ts';

/** A connection of a run. */
export interface PlacedConnection {
  integrationKey: string;
  connectionId: string;
}

interface Placeholder {
  connection: PlacedConnection;
  part: CredentialPart;
}

/** A request as a command sent it. */
export interface CommandRequest {
  url: URL;
  /** Lower-case names. */
  headers: Record<string, string>;
}

/** The request for the provider. */
export interface PlacedRequest {
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  /** Connections whose credential it carries. */
  connections: readonly PlacedConnection[];
}

/** Letters and digits only, so that no header, address, JSON text or shell spells it in another way. */
const SHAPE = /hp_[0-9a-f]{40}/g;
const RANDOM_BYTES = 20;

/** The texts that stand for credentials in one run. */
export class Placeholders {
  readonly #known = new Map<string, Placeholder>();
  readonly #hex: (count: number) => string;

  constructor({ hex }: { hex(count: number): string }) {
    this.#hex = hex;
  }

  add(connection: PlacedConnection, part: CredentialPart): string {
    const text = `hp_${this.#hex(RANDOM_BYTES)}`;
    this.#known.set(text, { connection, part });
    return text;
  }

  /** What stands for this part of a connection. */
  textOf(connection: PlacedConnection, part: CredentialPart): string | undefined {
    for (const [text, one] of this.#known) if (one.connection === connection && one.part === part) return text;
    return undefined;
  }

  /**
   * The request with credentials in the place of placeholders: only at addresses of the connection's provider, only in
   * the headers and parameters where the entry sends the credential (design.md 7.48). Throws `placeholder_refused` for a
   * placeholder anywhere else in the address or the headers.
   */
  async place(
    sent: CommandRequest,
    credentialOf: (connection: PlacedConnection) => Promise<RequestCredential>,
  ): Promise<PlacedRequest> {
    const used = new Map<PlacedConnection, RequestCredential>();
    const read = async (found: Iterable<string>): Promise<void> => {
      for (const text of found) {
        const { connection } = this.#get(text);
        if (!used.has(connection)) used.set(connection, await credentialOf(connection));
      }
    };
    const { pathname, search } = sent.url;
    const query = search.slice(1).split('&');
    const values = Object.values(sent.headers).map(plainHeader);
    await read([...values, ...query.map(decoded), decoded(pathname)].flatMap((text) => text.match(SHAPE) ?? []));
    for (const [connection, credential] of used)
      if (!credential.isOwn(sent.url))
        throw refusal(`The credential of ${nameOf(connection)} does not go to ${sent.url.host}.`);

    const replace = (text: string, where: string, isPlace: (credential: RequestCredential) => boolean): string =>
      text.replace(SHAPE, (found) => {
        const { connection, part } = this.#get(found);
        const credential = used.get(connection);
        if (!credential || !isPlace(credential)) throw refusal(wrongPlace(connection, credential, where));
        return credential.parts.get(part) ?? '';
      });
    const placedPath = this.#placePath(pathname, used);
    const placedQuery = query.map((pair) => {
      if (!decoded(pair).match(SHAPE)) return pair;
      const [[name, value] = ['', '']] = [...new URLSearchParams(pair)];
      replace(name, 'the name of a parameter', () => false);
      const placed = replace(value, `the parameter ${name}`, ({ parameters }) => parameters.has(name));
      return new URLSearchParams([[name, placed]]).toString();
    });
    const headers = Object.fromEntries(
      Object.entries(sent.headers).map(([name, value]) => {
        const plain = plainHeader(value);
        if (!plain.match(SHAPE)) return [name, value];
        const placed = replace(plain, `the header ${name}`, (credential) => credential.headers.has(name));
        return [name, plain === value ? placed : `Basic ${Buffer.from(placed).toString('base64')}`];
      }),
    );
    return {
      path: placedPath + (search === '' ? '' : `?${placedQuery.join('&')}`),
      headers,
      connections: [...used.keys()],
    };
  }

  /** Only at the place of the entry's base address, such as `/bot<token>/…`. */
  #placePath(pathname: string, used: ReadonlyMap<PlacedConnection, RequestCredential>): string {
    const [first] = decoded(pathname).match(SHAPE) ?? [];
    if (first === undefined) return pathname;
    const { connection, part } = this.#get(first);
    const credential = used.get(connection);
    const { after = '', before = '' } = credential?.basePath ?? {};
    const start = before + first + after;
    const rest = pathname.slice(start.length);
    const isPlace =
      credential?.basePath?.part === part &&
      pathname.startsWith(start) &&
      /^(?:\/|$)/.test(rest) &&
      !decoded(rest).match(SHAPE);
    if (!isPlace) throw refusal(wrongPlace(connection, credential, 'the path'));
    // A colon is common in tokens, and plain in a path (RFC 3986, 3.3).
    return before + encodeURIComponent(credential.parts.get(part) ?? '').replaceAll('%3A', ':') + after + rest;
  }

  #get(text: string): Placeholder {
    const found = this.#known.get(text);
    if (found) return found;
    throw refusal('The placeholder belongs to another run, or to one that has ended.');
  }
}

/** As it is where it cannot be decoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

function wrongPlace(connection: PlacedConnection, credential: RequestCredential | undefined, where: string): string {
  const headers = [...(credential?.headers ?? [])].map((name) => `the header ${name}`);
  const parameters = [...(credential?.parameters ?? [])].map((name) => `the parameter ${name}`);
  const path = credential?.basePath ? [`the path behind ${credential.basePath.before}`] : [];
  const places = [...headers, ...parameters, ...path].join(' or ');
  return `The placeholder of ${nameOf(connection)} stands in ${where}. Its credential goes into ${places} only.`;
}

export function nameOf({
  connectionId,
  integrationKey,
}: Pick<PlacedConnection, 'connectionId' | 'integrationKey'>): string {
  return `${integrationKey}/${connectionId}`;
}

function refusal(message: string): HomeportError {
  return new HomeportError('placeholder_refused', message);
}
