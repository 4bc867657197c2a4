import { z } from 'zod';
import { UNCHOSEN_PRIMARY } from '../dashboard/shown-values.ts';

const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'Must be a colour such as #0B6A80.');
const scheme = z.strictObject({ primary: colour });

/** Appearance of the connect page. The contract defines names and shape (http-api.md 6). */
export const connectUiSettings = z.strictObject({
  showWatermark: z.boolean(),
  defaultTheme: z.enum(['light', 'dark', 'system']),
  theme: z.strictObject({ light: scheme, dark: scheme }),
});

export type ConnectUiSettings = z.infer<typeof connectUiSettings>;

export const DEFAULT_CONNECT_UI: ConnectUiSettings = {
  showWatermark: false,
  defaultTheme: 'system',
  theme: { light: { primary: UNCHOSEN_PRIMARY }, dark: { primary: UNCHOSEN_PRIMARY } },
};
