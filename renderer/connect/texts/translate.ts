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

export function createTranslate(texts: Texts): Translate {
  return (key, values = {}) =>
    (texts[key] ?? ENGLISH[key]).replace(/\{(\w+)\}/g, (blank, name: string) => String(values[name] ?? blank));
}
