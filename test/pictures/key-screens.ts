/** The screens that are stored as pictures, by their names in `test/e2e/dashboard/dashboard-screens.ts` (ui.md 17, story 21). */
export const KEY_SCREENS = [
  'overview',
  'integrations',
  'provider catalogue',
  'new integration',
  'functions of an integration',
  'settings of an integration',
  'functions',
  'a function',
  'connections',
  'new connection',
  'authorization of a connection',
  'syncs of a connection',
  'settings of a connection',
  'records',
  'history of a record',
  'logs',
  'an operation',
  'webhooks from providers',
  'playground',
  'apps and keys',
  'Agents',
  'settings',
  'data and backups',
  'import',
  'first run',
] as const;

/** The initial size of the window, the smallest one, and the width of a phone, where the sidebar is hidden. */
export const WIDTHS = [1280, 900, 420] as const;
export const SCHEMES = ['light', 'dark'] as const;

export interface PictureView {
  /** Base name of the file. */
  name: string;
  screen: (typeof KEY_SCREENS)[number];
  width: (typeof WIDTHS)[number];
  scheme: (typeof SCHEMES)[number];
}

/** Every picture; those of one load of a screen are adjacent. */
export const PICTURE_VIEWS: readonly PictureView[] = KEY_SCREENS.flatMap((screen) =>
  WIDTHS.flatMap((width) =>
    SCHEMES.map((scheme) => ({
      name: `${screen.toLowerCase().replaceAll(' ', '-')}-${width}-${scheme}`,
      screen,
      width,
      scheme,
    })),
  ),
);
