/** What a provider's own step after connecting, before deletion or for verification may see and do. */
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
  /** A request through the proxy with the connection's credentials; throws when no answer came. Any status is an answer. */
  request(request: StepRequest): Promise<StepAnswer>;
  /** A request without the connection's credentials, to an address that the step names whole. */
  requestPlain(request: PlainStepRequest): Promise<StepAnswer>;
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

/** A request to an address of its own. */
export type PlainStepRequest = Omit<StepRequest, 'endpoint' | 'baseUrl'> & { url: string };

export interface StepAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; undefined when it is none. */
  json: unknown;
}

/** Values to write into the connection configuration; undefined removes a key. */
export type ConfigPatch = Record<string, unknown>;

/** Runs after a connection was made or renewed; its failure never fails the connection (auth-and-connect.md 3.11). */
export type PostConnectionStep = (context: StepContext) => Promise<ConfigPatch | undefined>;

/** Runs before a connection is deleted; its failure never keeps the connection (auth-and-connect.md 3.11). */
export type PreDeletionStep = (context: StepContext) => Promise<void>;

/** Asks the provider whether credentials work where one request and its status cannot tell (providers.md 9). */
export type VerificationStep = (context: StepContext) => Promise<{ ok: true } | { ok: false; message: string }>;
