/** What a provider's step after connecting, before deletion or for verification may use. */
export interface StepContext {
  provider: string;
  /** The developer's app at the provider. */
  app: { clientId?: string; clientSecret?: string };
  connection: {
    connectionId: string;
    credentials: { type?: string; raw?: unknown; [field: string]: unknown };
    connectionConfig: Record<string, unknown>;
    metadata: Record<string, unknown>;
  };
  /**
   * Sends a request through the proxy with the connection's credentials. Resolves for any status; throws when no response
   * came.
   */
  request(request: StepRequest): Promise<StepResponse>;
  /** Sends a request without the connection's credentials to a complete address. */
  requestPlain(request: PlainStepRequest): Promise<StepResponse>;
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface StepRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the provider's base address, or below `baseUrl`. */
  endpoint: string;
  /** Replaces the provider's base address. */
  baseUrl?: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent form-encoded. */
  form?: Record<string, string>;
}

/** A request to a complete address. */
export type PlainStepRequest = Omit<StepRequest, 'endpoint' | 'baseUrl'> & { url: string };

export interface StepResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; undefined when it is not JSON. */
  json: unknown;
}

/** Values to write into the connection configuration; undefined removes a key. */
export type ConfigPatch = Record<string, unknown>;

/**
 * Runs after a connection was created or renewed; its failure does not fail the connection (auth-and-connect.md 3.11).
 */
export type PostConnectionStep = (context: StepContext) => Promise<ConfigPatch | undefined>;

/** Runs before a connection is deleted; its failure does not prevent the deletion (auth-and-connect.md 3.11). */
export type PreDeletionStep = (context: StepContext) => Promise<void>;

/**
 * Tests credentials at the provider when the status of one request does not show whether they work (providers.md 9).
 */
export type VerificationStep = (context: StepContext) => Promise<{ ok: true } | { ok: false; message: string }>;
