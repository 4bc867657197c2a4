import type { ClientProgram } from './toolbox.ts';

/** What a client of the 2025 revisions says when it initializes, and later calls need. */
export interface ClientSession {
  /** The negotiated revision. */
  revision: string;
  client: ClientProgram | undefined;
  /** Whether it shows forms to a person. */
  canAsk: boolean;
}

const MAX_NAME_LENGTH = 100;

/**
 * The id of a protocol session contains what its client said about itself, so the hub keeps no sessions and a restart
 * ends none. It is no credential: every call is authorized by its own key or token.
 */
export function protocolSessionId({ revision, client, canAsk, nonce }: ClientSession & { nonce: string }): string {
  const facts = [revision, canAsk, client?.name, client?.version, nonce];
  return Buffer.from(JSON.stringify(facts)).toString('base64url');
}

/** Undefined for an id that the hub did not make. */
export function readSessionId(id: string): ClientSession | undefined {
  try {
    const [revision, canAsk, name, version] = JSON.parse(Buffer.from(id, 'base64url').toString()) as unknown[];
    if (typeof revision !== 'string' || typeof canAsk !== 'boolean') return undefined;
    return { revision, canAsk, client: programOf({ name, version }) };
  } catch {
    return undefined;
  }
}

/** The `clientInfo` of a client. */
export function programOf(given: unknown): ClientProgram | undefined {
  const { name, version } = (given ?? {}) as { name?: unknown; version?: unknown };
  if (typeof name !== 'string' || name === '') return undefined;
  const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_NAME_LENGTH) : '');
  return { name: text(name), version: text(version) };
}

/** Whether the capabilities of a client include forms. An empty object means forms only (revision 2025-11-25). */
export function canAsk(capabilities: unknown): boolean {
  const elicitation = (capabilities as { elicitation?: unknown } | undefined)?.elicitation;
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return 'form' in elicitation || !('url' in elicitation);
}
