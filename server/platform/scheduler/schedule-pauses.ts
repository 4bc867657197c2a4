/**
 * Pauses of all schedules by their reason, each with its end. Kept in memory only: after a restart the owner of a
 * lasting pause sets it again.
 */
export class SchedulePauses {
  readonly #pauses = new Map<string, { until: number; lengthMs: number }>();

  /**
   * Adds or replaces the pause of a reason. `until`: milliseconds since the epoch, or `Infinity` for a pause that lasts
   * until it is removed.
   */
  set(reason: string, until: number, now: number): void {
    this.#pauses.set(reason, { until, lengthMs: until - now });
  }

  /** Removes the pause of a reason; all pauses without one. */
  remove(reason?: string): void {
    if (reason === undefined) this.#pauses.clear();
    else this.#pauses.delete(reason);
  }

  /** When schedules start runs again, or `Infinity`; undefined while no pause is active. */
  endsAt(now: number): number | undefined {
    const ends = [...this.#pauses.values()].map(({ until }) => until).filter((end) => end > now);
    return ends.length === 0 ? undefined : Math.max(...ends);
  }

  /** The active pauses, each with its end. */
  list(now: number): Array<{ reason: string; until: number }> {
    return [...this.#pauses].flatMap(([reason, { until }]) => (until > now ? [{ reason, until }] : []));
  }

  /** After the clock was set back: no pause lasts longer than it was meant to. */
  pullBack(now: number): void {
    for (const pause of this.#pauses.values()) pause.until = Math.min(pause.until, now + pause.lengthMs);
  }
}
