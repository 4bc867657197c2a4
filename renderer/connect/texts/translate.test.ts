import { describe, expect, it } from 'vitest';
import { ENGLISH } from './english.ts';
import { chooseLanguage, createTranslate, LANGUAGES, loadTexts } from './translate.ts';

const blanksOf = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();

describe('the texts', () => {
  it.each(LANGUAGES)('in %s are all there and fill in the same blanks', async (language) => {
    const texts = await loadTexts(language);

    expect(Object.keys(texts).sort()).toEqual(Object.keys(ENGLISH).sort());
    for (const [key, text] of Object.entries(texts)) {
      expect([key, blanksOf(text)]).toEqual([key, blanksOf(ENGLISH[key as keyof typeof ENGLISH])]);
    }
  });

  it('fall back to English one by one', () => {
    const t = createTranslate({ back: 'Zurück' });

    expect([t('back'), t('close')]).toEqual(['Zurück', 'Close']);
  });

  it('take names as they are, braces and dollar signs included', () => {
    expect(createTranslate({})('form.title', { name: '$& {name}' })).toBe('Connect $& {name}');
  });
});

describe('chooseLanguage', () => {
  it.each([
    ['de', ['fr'], 'de'],
    ['fr-CA', [], 'fr'],
    ['xx', ['fr'], 'en'],
    [null, ['pt-BR', 'es-MX', 'de'], 'es'],
    [null, ['pt'], 'en'],
  ])('of the wish %s and the browser’s %j is %s', (wish, browser, language) => {
    expect(chooseLanguage(wish, browser)).toBe(language);
  });
});
