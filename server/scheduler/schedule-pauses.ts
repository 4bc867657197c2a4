/**
 * Reasons for which no schedule starts a run now, each with its end. In memory: a new start of the program begins without
 * any, and who wants one that lasts longer sets it again.
 */
export class SchedulePauses {
  readonly #ends = new Map<string, number>();

  /** `until` in milliseconds since the epoch, or `Infinity`: until it is removed. Replaces an earlier one of the reason. */
  set(reason: string, until: number): void {
    this.#ends.set(reason, until);
  }

  /** Without a reason: all. */
  remove(reason?: string): void {
    if (reason === undefined) this.#ends.clear();
    else this.#ends.delete(reason);
  }

  /** When schedules go on, `Infinity` included; undefined while nothing holds them. */
  endsAt(now: number): number | undefined {
    const ends = [...this.#ends.values()].filter((end) => end > now);
    return ends.length === 0 ? undefined : Math.max(...ends);
  }

  /** The reasons that hold schedules now. */
  reasons(now: number): string[] {
    return [...this.#ends].flatMap(([reason, end]) => (end > now ? [reason] : []));
  }
}
