import { z } from 'zod';
import { UNCHOSEN_PRIMARY } from '../contract/dashboard/shown-values.ts';

const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'Must be a colour such as #0B6A80.');
const scheme = z.strictObject({ primary: colour });

const text = z.string().trim().min(1).max(120).optional();

/**
 * Texts that replace the page's own, in every language; `{name}` stands for what is connected. An extension: the reference has
 * none, so the member is absent until one is set.
 */
export const connectUiTexts = z.strictObject({
  listTitle: text,
  listLead: text,
  formTitle: text,
  formButton: text,
  successTitle: text,
});

/** Appearance of the connect page. The contract defines names and shape (http-api.md 6). */
export const connectUiSettings = z.strictObject({
  showWatermark: z.boolean(),
  defaultTheme: z.enum(['light', 'dark', 'system']),
  theme: z.strictObject({ light: scheme, dark: scheme }),
  texts: connectUiTexts.optional(),
});

export type ConnectUiSettings = z.infer<typeof connectUiSettings>;

export const DEFAULT_CONNECT_UI: ConnectUiSettings = {
  showWatermark: false,
  defaultTheme: 'system',
  theme: { light: { primary: UNCHOSEN_PRIMARY }, dark: { primary: UNCHOSEN_PRIMARY } },
};
