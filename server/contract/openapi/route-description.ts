import type { z } from 'zod';
import type { ErrorCode } from '../error-codes.ts';

/** Groups of the reference in their order. */
export const TAGS = [
  'Providers',
  'Integrations',
  'Connections',
  'Connect sessions',
  'Proxy',
  'Actions',
  'Agent sessions',
  'MCP',
  'Syncs',
  'Records',
  'Functions',
  'Webhooks',
  'Environment',
  'Server',
] as const;

type Tag = (typeof TAGS)[number];

/** A code with its status from the catalogue, or with the status that this route uses. */
export type ErrorResponse = ErrorCode | readonly [number, ErrorCode];

/** Answers on success: a schema, or null when the response has no body. */
type SuccessResponses = Readonly<Record<number, z.ZodType | null>>;

/** The description of a route in the document, in addition to its row. */
export interface RouteDescription {
  /** Name of the operation in generated clients; unique. */
  id: string;
  /** Path in the document. Default: the path of the row. */
  path?: string;
  tag: Tag;
  summary: string;
  /** Information that the schemas cannot express. */
  details?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: z.ZodType;
  /** Parts that the handler reads without validation. */
  unchecked?: readonly ('query' | 'headers' | 'body')[];
  responses: SuccessResponses;
  /** Responses that the hub passes on unchanged, with any status and content. */
  passesOn?: string;
  /** Codes in addition to those of the request pipeline. */
  errors?: readonly ErrorResponse[];
  /** The replacement; the route is then deprecated. */
  replacedBy?: string;
  /** Required if the path has a parameter or the route takes a body. */
  example?: RouteExample;
}

/**
 * One call of a route, which the document shows as a `curl` command. Examples use the practice provider, its functions,
 * and its connection `me`. `$NAME` is a shell variable.
 */
export interface RouteExample {
  /** With the query. Default: the path of the route. */
  path?: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON. The text `$NAME as number` stands for the value of a variable without quotes. */
  body?: unknown;
}

/** The parts of a route table's row that the document uses. */
export interface DescribedRoute {
  method: string;
  path: string | RegExp;
  access: 'key' | 'key-or-session' | 'session' | 'public';
  /** One of these is enough; without the list every key may call. */
  scopes?: readonly string[];
  openapi: RouteDescription;
}
