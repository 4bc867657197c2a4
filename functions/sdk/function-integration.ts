import type { UntypedObject } from './untyped.ts';

/** The function's integration as the HTTP API returns it. Times are ISO strings. */
export interface FunctionIntegration {
  unique_key: string;
  display_name: string;
  provider: string;
  logo: string;
  created_at: string;
  updated_at: string;
  forward_webhooks?: boolean;
  /** Present with `include: ['webhook']`. */
  webhook_url?: string | null;
  /** Present with `include: ['credentials']`; null for modes without app credentials. */
  credentials?: UntypedObject | null;
}
