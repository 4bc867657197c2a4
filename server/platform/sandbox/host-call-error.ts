import type { WireError } from '../../../functions/runtime/bridge.ts';

/** Thrown by a host method to determine exactly what the function catches. */
export class HostCallError extends Error {
  readonly wire: WireError;

  constructor(wire: WireError) {
    super(wire.message);
    this.name = wire.name;
    this.wire = wire;
  }
}

/** What a function sees of any failure of its host: name, message and code. */
export function toWireError(error: unknown): WireError {
  if (error instanceof HostCallError) return error.wire;
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { code } = error as { code?: unknown };
  return { name: error.name, message: error.message, ...(typeof code === 'string' ? { code } : {}) };
}
