import { ENGLISH } from './english.ts';

export type TextKey = keyof typeof ENGLISH;
export type Texts = Partial<Record<TextKey, string>>;
/** A text of the page in the person's language, with its placeholders replaced. */
export type Translate = (key: TextKey, values?: Record<string, string | number>) => string;

export const LANGUAGES = ['en', 'fr', 'de', 'es', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

const isLanguage = (text: string): text is Language => (LANGUAGES as readonly string[]).includes(text);
const baseOf = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0] ?? '';

/** The language in the address; otherwise the first of the browser's languages that the page supports. */
export function chooseLanguage(wish: string | null, browserLanguages: readonly string[]): Language {
  const candidates = wish === null ? browserLanguages.map(baseOf) : [baseOf(wish)];
  return candidates.find(isLanguage) ?? 'en';
}

/** Loads the texts of one language only. */
export async function loadTexts(language: Language): Promise<Texts> {
  switch (language) {
    case 'fr':
      return (await import('./french.ts')).FRENCH;
    case 'de':
      return (await import('./german.ts')).GERMAN;
    case 'es':
      return (await import('./spanish.ts')).SPANISH;
    case 'ja':
      return (await import('./japanese.ts')).JAPANESE;
    default:
      return ENGLISH;
  }
}

/** Texts of the environment's settings, and what they replace. */
const OWN_TEXTS = {
  listTitle: 'list.title',
  listLead: 'list.lead',
  formTitle: 'form.title',
  formButton: 'form.submit',
  successTitle: 'success.title',
} as const satisfies Record<string, TextKey>;

export type OwnTexts = Partial<Record<keyof typeof OWN_TEXTS, string | undefined>>;

/** They come before the page's own in every language. */
export function withOwnTexts(translate: Translate, own: OwnTexts | undefined): Translate {
  const texts: Texts = {};
  for (const [name, key] of Object.entries(OWN_TEXTS)) {
    const text = own?.[name as keyof OwnTexts];
    if (typeof text === 'string' && text !== '') texts[key] = text;
  }
  const replaced = createTranslate(texts);
  return (key, values) => (key in texts ? replaced : translate)(key, values);
}

export function createTranslate(texts: Texts): Translate {
  return (key, values = {}) =>
    (texts[key] ?? ENGLISH[key]).replace(/\{(\w+)\}/g, (blank, name: string) => String(values[name] ?? blank));
}
