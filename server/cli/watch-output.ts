import type { Writable } from 'node:stream';
import { hasErrorCode } from '../platform/lib/error-code.ts';

export interface OutputFailuresOptions {
  output: Writable & { isTTY?: boolean };
  errors: Writable & { isTTY?: boolean };
  /** Called once. `isLost`: a result could not be written; otherwise its reader has read enough. */
  onFailure(isLost: boolean): void;
}

/**
 * Watches for output that cannot be written. A reader that has read enough (`homeport logs | head -1`) is no failure. A
 * full disk is one, because the result is lost.
 */
export function watchOutput({ output, errors, onFailure }: OutputFailuresOptions): void {
  let isKnown = false;
  // Not `once`: every further write fails too, and an error without a listener ends the process with a stack.
  for (const stream of [output, errors])
    stream.on('error', (error) => {
      if (isKnown) return;
      isKnown = true;
      const isUnread = hasErrorCode(error, 'EPIPE', 'ERR_STREAM_DESTROYED');
      // A terminal that was closed.
      const isClosed = stream.isTTY === true && hasErrorCode(error, 'EIO');
      const isLost = !isUnread && !isClosed;
      if (isLost && stream === output) errors.write(`error: The output cannot be written: ${reasonOf(error)}.\n`);
      onFailure(isLost);
    });
}

function reasonOf(error: Error): string {
  return hasErrorCode(error, 'ENOSPC') ? 'no space is left there' : error.message;
}
