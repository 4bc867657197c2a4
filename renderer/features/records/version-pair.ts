/** Two versions to compare: selecting a third one deselects the one that was selected first. */
export function toggleVersion(ticked: readonly string[], at: string): string[] {
  return ticked.includes(at) ? ticked.filter((one) => one !== at) : [...ticked, at].slice(-2);
}

/** The two selected versions, older one first; undefined unless both exist. Moments sort as texts. */
export function pairOf(ticked: readonly string[]): { from: string; to: string } | undefined {
  const [from, to] = [...ticked].sort();
  return from !== undefined && to !== undefined ? { from, to } : undefined;
}
