import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { AuthMode } from '../integrations/catalog/provider-modes.ts';
import type { Verification } from '../integrations/catalog/proxy-schema.ts';
import { discardBody } from '../platform/lib/outbound-exchange.ts';
import { isSuccessStatus } from '../platform/lib/success-status.ts';
import type { ProviderRequest, ProxyBody, SendResult } from './proxy-types.ts';

/** `untested`: the entry or its mode has no verification request. */
export type VerificationOutcome =
  | { kind: 'untested' }
  | { kind: 'accepted' }
  /** The provider answered and refused; `status` is its last response. */
  | { kind: 'refused'; status: number }
  /** No endpoint answered; `code` is the last network code. */
  | { kind: 'unreachable'; code: string };

/** Whether a person connects, or a program imports credentials. */
export type TestedFlow = 'interactive' | 'import';

/** Modes whose credentials are tested with a request. In other modes, obtaining the token is the test. */
const TESTED_MODES: Record<TestedFlow, ReadonlySet<AuthMode>> = {
  interactive: new Set<AuthMode>(['API_KEY', 'BASIC', 'SIGNATURE', 'JWT', 'TBA', 'INSTALL_PLUGIN']),
  import: new Set<AuthMode>(['API_KEY', 'BASIC', 'TBA']),
};

interface VerificationInput {
  entry: ProviderEntry;
  flow: TestedFlow;
  send: (request: ProviderRequest) => Promise<SendResult>;
}

/**
 * Tries the entry's endpoints in order: the first 2xx passes, after any other response the next one is tried
 * (providers.md 9).
 */
export async function verifyCredentials({ entry, flow, send }: VerificationInput): Promise<VerificationOutcome> {
  const verification = entry.proxy?.verification;
  if (!verification || !isTested(entry.auth_mode, flow)) return { kind: 'untested' };
  let outcome: VerificationOutcome = { kind: 'untested' };
  for (const endpoint of verification.endpoints) {
    const result = await send(toRequest(verification, endpoint));
    if (result.kind === 'response') {
      await discardBody(result.response.body);
      if (isSuccessStatus(result.status)) return { kind: 'accepted' };
      outcome = { kind: 'refused', status: result.status };
    } else if (outcome.kind !== 'refused') {
      outcome = { kind: 'unreachable', code: result.error.code };
    }
  }
  return outcome;
}

/** Whether credentials of this mode are tested with a request. */
export function isTested(mode: AuthMode, flow: TestedFlow): boolean {
  return TESTED_MODES[flow].has(mode);
}

function toRequest(verification: Verification, endpoint: string): ProviderRequest {
  return {
    method: verification.method ?? 'GET',
    endpoint,
    ...(verification.headers ? { headers: verification.headers } : {}),
    ...(verification.base_url_override === undefined ? {} : { baseUrlOverride: verification.base_url_override }),
    ...(verification.data === undefined ? {} : { body: toBody(verification.data) }),
  };
}

function toBody(data: unknown): ProxyBody {
  return typeof data === 'string' ? { kind: 'text', text: data } : { kind: 'json', text: JSON.stringify(data) };
}
