/** Two versions to compare: ticking a third one lets go of the one that was ticked first. */
export function toggleVersion(ticked: readonly string[], at: string): string[] {
  return ticked.includes(at) ? ticked.filter((one) => one !== at) : [...ticked, at].slice(-2);
}

/** The two that are ticked, older one first; undefined unless both are there. Moments sort as texts. */
export function pairOf(ticked: readonly string[]): { from: string; to: string } | undefined {
  const [from, to] = [...ticked].sort();
  return from !== undefined && to !== undefined ? { from, to } : undefined;
}
