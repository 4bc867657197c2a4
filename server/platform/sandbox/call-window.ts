const MAX_CALLS = 256;
const MAX_BYTES = 16 * 1024 * 1024;

/** The open calls and log lines of one run: as many as the guest runtime sends at once. */
export class CallWindow {
  readonly #sizes = new Map<number, number>();
  #bytes = 0;

  /** False when the run sends more than allowed. A single message may be larger than the limit for all together. */
  add(id: number, bytes: number): boolean {
    const isFull = this.#sizes.size >= MAX_CALLS || this.#bytes + bytes > MAX_BYTES;
    if (this.#sizes.has(id) || (isFull && this.#sizes.size > 0)) return false;
    this.#sizes.set(id, bytes);
    this.#bytes += bytes;
    return true;
  }

  /** True while a call or log line is open. */
  get isBusy(): boolean {
    return this.#sizes.size > 0;
  }

  remove(id: number): void {
    this.#bytes -= this.#sizes.get(id) ?? 0;
    this.#sizes.delete(id);
  }
}

/** The error of a run that bypasses the limits of its guest runtime. */
export const TOO_MANY_CALLS = {
  name: 'Error',
  message: `A function may have ${MAX_CALLS} open calls to its host with ${MAX_BYTES} bytes in all; this one sent more`,
  code: 'too_many_calls',
};
