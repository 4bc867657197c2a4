/** Keys of what no route of the dashboard answers; `routeKey` makes the others. */
export const keys = {
  /** The id of the newest event of an environment; no request fills it. */
  lastEvent: (env: string) => ['last-event', env] as const,
  checkedEntries: (file: string, text: string) => ['provider-check', file, text] as const,
  apiDocument: ['api-document'] as const,
  docs: (file: string) => ['docs', file] as const,
  desktopUpdate: ['desktop-update'] as const,
  desktopSettings: ['desktop-settings'] as const,
  desktopNotices: ['desktop-notices'] as const,
  desktopDiagnostics: ['desktop-diagnostics'] as const,
  desktopVersion: ['desktop-version'] as const,
};

/** A page of a long list: the first one, whose response fixes count and snapshot, or a later one inside that snapshot. */
export const pageKeys = {
  first: (list: readonly unknown[]) => [...list, 'first'] as const,
  further: (list: readonly unknown[], snapshot: string | undefined, page: number) =>
    [...list, 'page', snapshot, page] as const,
};

export const isDocs = ([first]: readonly unknown[]): boolean => first === keys.docs('')[0];
