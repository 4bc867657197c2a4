import type { ApprovalDecision } from './approvals.ts';
import type { ObjectSchema } from './mcp-tool.ts';

/** What one MCP address serves to one client. The endpoint speaks the protocol, a toolbox knows the tools. */
export interface Toolbox {
  /** How to use the tools, for the model. */
  instructions?: string;
  listTools(): Promise<readonly ToolDescription[]>;
  /** Undefined for an unknown tool. What is thrown becomes a result with `isError`. */
  callTool(call: ToolboxCall): Promise<ToolOutcome | undefined>;
}

export interface ToolDescription {
  name: string;
  title?: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema?: ObjectSchema;
  annotations?: ToolAnnotations;
}

export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface ToolboxCall {
  name: string;
  arguments: Record<string, unknown>;
  /** Aborted when the client has gone or cancelled the call. */
  signal: AbortSignal;
  /** What the program says about itself. */
  client: ClientProgram | undefined;
  asking: ClientAsking;
}

export interface ClientProgram {
  name: string;
  version: string;
}

/** How a question reaches the person who sits at the client. */
export type ClientAsking =
  /** The client cannot ask. */
  | { kind: 'none' }
  /** Revisions of 2025: the answer arrives while the call waits. */
  | { kind: 'elicit'; ask: (question: ClientQuestion, signal: AbortSignal) => Promise<ClientAnswer> }
  /** Since revision 2026-07-28: the call ends with the question, and the client repeats it with the answer. */
  | { kind: 'repeat'; previous: { questionId: string; answer: ClientAnswer } | undefined };

/** A question about one call, as text for a person. */
export interface ClientQuestion {
  message: string;
  /** The answers that can be given. */
  decisions: readonly ApprovalDecision[];
}

/** `unanswered`: nobody decided, the question can still be answered elsewhere. */
export type ClientAnswer = Exclude<ApprovalDecision, 'deny-always'> | 'unanswered';

export type ToolOutcome = ToolResult | OpenQuestion;

export interface ToolResult {
  content: ToolContent[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** Text, or content that another server gave. */
export type ToolContent = { type: 'text'; text: string } | { type: string; [member: string]: unknown };

/** Only for a client that repeats the call. */
export interface OpenQuestion {
  questionId: string;
  question: ClientQuestion;
}
