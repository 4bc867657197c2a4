/**
 * Pauses of all schedules by their reason, each with its end. Kept in memory only: after a restart the owner of a
 * lasting pause sets it again.
 */
export class SchedulePauses {
  readonly #ends = new Map<string, number>();

  /**
   * Adds or replaces the pause of a reason. `until`: milliseconds since the epoch, or `Infinity` for a pause that lasts
   * until it is removed.
   */
  set(reason: string, until: number): void {
    this.#ends.set(reason, until);
  }

  /** Removes the pause of a reason; all pauses without one. */
  remove(reason?: string): void {
    if (reason === undefined) this.#ends.clear();
    else this.#ends.delete(reason);
  }

  /** When schedules start runs again, or `Infinity`; undefined while no pause is active. */
  endsAt(now: number): number | undefined {
    const ends = [...this.#ends.values()].filter((end) => end > now);
    return ends.length === 0 ? undefined : Math.max(...ends);
  }

  /** The reasons of the active pauses. */
  reasons(now: number): string[] {
    return [...this.#ends].flatMap(([reason, end]) => (end > now ? [reason] : []));
  }
}
